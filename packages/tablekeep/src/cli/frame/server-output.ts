import { isTablekeepError, type LogFields, type Logger } from "@tablekeep/core";
import type { ListenerAddress } from "../../server/listening/listener.ts";
import type { TextSink } from "./text-output.ts";

/** The output of a server command once it accepts requests. */
export function startText(name: string, listeners: readonly ListenerAddress[], data: string): string {
  const width = Math.max(0, ...listeners.map(({ url }) => url.length));
  const lines = listeners.map(
    ({ name: listener, url, purpose }) => `  ${listener.padEnd(10)}${url.padEnd(width)}   ${purpose}`,
  );
  return [`${name} is running.`, ...lines, `  ${"data".padEnd(10)}${data}`, "Press Ctrl+C to stop."].join(
    "\n",
  );
}

/**
 * Writes warnings and errors of a running server to `stderr`, one line each and the stack of an error below it. A warning with an error that has a code
 * has no stack: the code tells where it comes from, and a full inbox, for example, causes one for each message.
 */
export function stderrLogger(stderr: TextSink): Logger {
  const write = (level: string, message: string, fields: LogFields = {}) => {
    const { error, ...others } = fields;
    const facts = Object.entries(others)
      .filter(([, value]) => value !== undefined)
      .map(
        ([name, value]) => ` ${name}=${typeof value === "string" ? oneLine(value) : JSON.stringify(value)}`,
      );
    const text = error === undefined ? "" : `: ${causeText(level, error)}`;
    stderr.write(`${level}: ${message}${facts.join("")}${text}\n`);
  };
  return {
    debug() {},
    info() {},
    warn: (message, fields) => write("warning", message, fields),
    error: (message, fields) => write("error", message, fields),
  };
}

/** Names come from clients: control characters would begin another line, or change the terminal. */
function oneLine(value: string): string {
  return value.replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function causeText(level: string, error: unknown): string {
  if (level === "warning" && isTablekeepError(error)) return `${error.message} [${error.code}]`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
