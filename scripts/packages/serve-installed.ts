import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A server that runs from a project that has installed it. */
interface InstalledServer extends AsyncDisposable {
  /** Where its page is. */
  readonly url: string;
}

/** Starts the program at `bin` with a new folder in `project`, on free ports. */
export async function serveInstalled(bin: string, project: string): Promise<InstalledServer> {
  const ports = ["http", "dynamodb", "smtp", "mqtt"].flatMap((name) => [`--${name}-port`, "0"]);
  const args = ["serve", "--json", "--data", join(project, "data"), ...ports];
  const child = spawn(bin, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const line = await Promise.race([once(child.stdout, "data"), ended.then(() => undefined)]);
  if (line === undefined) throw new Error("the installed program does not serve");
  const { listeners } = JSON.parse(String(line[0])) as { listeners: { name: string; url: string }[] };
  return {
    url: listeners.find(({ name }) => name === "http")?.url ?? "",
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
