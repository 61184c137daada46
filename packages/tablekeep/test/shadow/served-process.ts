import { spawn } from "node:child_process";
import { once } from "node:events";

/** A running `tablekeep serve`. */
export interface ServedProcess {
  /** Where it listens, by the listener's name; undefined if it ended before it did. */
  readonly urls: Promise<Readonly<Record<string, string>> | undefined>;
  /** kill -9, and waits for the end. */
  kill(): Promise<void>;
  /** Asks it to end, and gives its exit code. */
  stop(): Promise<number | null>;
}

/** Listeners that can be left out. */
export type LeftOut = "smtp" | "dynamodb" | "mqtt";

/** Starts the program on a folder, with all listeners on free ports but for those that are left out. */
export function startServed(
  program: string,
  folder: string,
  leftOut: readonly LeftOut[] = [],
): ServedProcess {
  const ports = ["http", "dynamodb", "smtp", "mqtt"].flatMap((name) =>
    leftOut.some((each) => each === name) ? [`--no-${name}`] : [`--${name}-port`, "0"],
  );
  const child = spawn(process.execPath, [program, "serve", "--data", folder, "--json", ...ports], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit") as Promise<[number | null]>;
  const urls = new Promise<Readonly<Record<string, string>> | undefined>((resolve) => {
    child.stdout.once("data", (line) => {
      const { listeners } = JSON.parse(String(line)) as { listeners: { name: string; url: string }[] };
      resolve(Object.fromEntries(listeners.map(({ name, url }) => [name, url])));
    });
    child.once("exit", () => resolve(undefined));
  });
  return {
    urls,
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
