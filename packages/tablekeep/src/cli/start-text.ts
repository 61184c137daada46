import type { ListenerAddress } from "../server/listener.ts";

/** What a command that serves says once it accepts requests. */
export function startText(name: string, listeners: readonly ListenerAddress[], data: string): string {
  const lines = listeners.map(
    ({ name: listener, url, purpose }) => `  ${listener.padEnd(10)}${url}   ${purpose}`,
  );
  return [`${name} is running.`, ...lines, `  ${"data".padEnd(10)}${data}`, "Press Ctrl+C to stop."].join(
    "\n",
  );
}
