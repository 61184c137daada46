import { Readable } from "node:stream";
import { main } from "../src/cli/main.ts";

/** The result of a command line. */
export interface MainResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line that runs in this process, on streams of the test. */
export interface MainRun {
  readonly result: Promise<MainResult>;
  /** What was written to stdout so far. */
  stdout(): string;
  /** Does what Ctrl+C does. */
  interrupt(): void;
}

/** Starts a command line; the caller awaits its result. */
export function startMain(
  argv: readonly string[],
  env: Record<string, string> = {},
  ask?: (question: string) => Promise<boolean>,
  input?: string | Buffer,
): MainRun {
  const stop = new AbortController();
  const written = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof written) => ({
    write(text: string | Uint8Array) {
      written[name] += typeof text === "string" ? text : Buffer.from(text).toString();
    },
  });
  const stdin = input === undefined ? undefined : Readable.from([Buffer.from(input)]);
  const io = { stdin, stdout: sink("stdout"), stderr: sink("stderr"), env, signal: stop.signal, ask };
  const code = main(argv, io);
  return {
    result: code.then((value) => ({ code: value, ...written })),
    stdout: () => written.stdout,
    interrupt: () => stop.abort(),
  };
}

/** Runs a command line to its end. */
export function runMain(argv: readonly string[], env: Record<string, string> = {}): Promise<MainResult> {
  return startMain(argv, env).result;
}
