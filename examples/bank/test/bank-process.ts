import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A running bank. */
export interface BankProcess {
  /** Its address; undefined if it ended before it listened. */
  readonly url: Promise<string | undefined>;
  /** Sends SIGKILL, and waits for the exit. */
  kill(): Promise<void>;
  /** Stops it, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts a bank on a free port. */
export function startBank(program: string, args: readonly string[]): BankProcess {
  const child: ChildProcess = spawn(process.execPath, [program, "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit") as Promise<[number | null]>;
  const url = new Promise<string | undefined>((resolve) => {
    child.stdout?.once("data", (printed) => resolve(/http:\/\/[\d.:]+/.exec(String(printed))?.[0]));
    child.once("exit", () => resolve(undefined));
  });
  return {
    url,
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
