import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** A running `tablekeep serve`. */
export interface ServedProcess {
  /** Its addresses by listener. Fails with its output if it ends before it listens. */
  readonly urls: Promise<Readonly<Record<string, string>>>;
  /** Resolves with the next line that it prints. */
  nextLine(): Promise<string>;
  /** Sends a signal. */
  signal(name: NodeJS.Signals): void;
  /** kill -9, and waits for the end. */
  kill(): Promise<void>;
  /** Stops it, and resolves to its exit code. */
  stop(): Promise<number | null>;
}

/** Listeners that can be left out. */
export type LeftOut = "smtp" | "dynamodb" | "mqtt";

/** Starts the program on a folder, with all listeners on free ports but for those that are left out. */
export function startServed(
  program: string,
  folder: string,
  leftOut: readonly LeftOut[] = [],
  nodeOptions: readonly string[] = [],
  flags: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): ServedProcess {
  const ports = ["http", "dynamodb", "smtp", "mqtt"].flatMap((name) =>
    leftOut.some((each) => each === name) ? [`--no-${name}`] : [`--${name}-port`, "0"],
  );
  const args = [...nodeOptions, program, "serve", "--data", folder, "--json", ...ports, ...flags];
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit") as Promise<[number | null]>;
  const output = text(child.stderr);
  const urls = new Promise<Readonly<Record<string, string>>>((resolve, reject) => {
    child.stdout.once("data", (line) => {
      const { listeners } = JSON.parse(String(line)) as { listeners: { name: string; url: string }[] };
      resolve(Object.fromEntries(listeners.map(({ name, url }) => [name, url])));
    });
    child.once("close", (code, signal) => {
      output.then((words) => reject(new Error(`the server ended with ${code ?? signal}: ${words}`)), reject);
    });
  });
  // Nothing awaits a process that is killed while it starts.
  urls.catch(() => {});
  return {
    urls,
    nextLine: () => new Promise((resolve) => child.stdout.once("data", (line) => resolve(String(line)))),
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      return (await ended)[0];
    },
  };
}
