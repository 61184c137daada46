import { CommanderError } from "commander";
import { buildProgram } from "./build-program.ts";
import type { CommandIo } from "./command-context.ts";
import { reportFailure } from "./report-failure.ts";
import { translateCommanderError } from "./translate-commander-error.ts";

/** Runs one command line (without the program's own name) and resolves to its exit code. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  const program = buildProgram(io);
  try {
    await program.parseAsync(argv, { from: "user" });
    return 0;
  } catch (thrown) {
    const error = thrown instanceof CommanderError ? translateCommanderError(thrown) : thrown;
    if (error === undefined) return 0;
    return reportFailure(error, io.stderr, { json: wants("--json", argv), debug: wantsDebug(argv, io) });
  }
}

/** Runs the command line of `process`: its streams, its signals, its exit code. */
export async function runProcess(process: NodeJS.Process): Promise<void> {
  const stop = new AbortController();
  let outputClosed = false;
  const onSignal = (_name: NodeJS.Signals, number: number) => {
    // The second time the user does not want to wait any more.
    if (stop.signal.aborted) process.exit(128 + number);
    stop.abort();
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, onSignal);
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      // `tablekeep … | head -1`: whoever read the output has seen enough.
      outputClosed = true;
      stop.abort();
    });
  }
  const code = await main(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signal: stop.signal,
  });
  process.exitCode = outputClosed ? 0 : code;
}

/** Asked of the words themselves, because the parser may have failed before it came to the option. */
function wants(flag: string, argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes(flag);
}

function wantsDebug(argv: readonly string[], io: CommandIo): boolean {
  const variable = io.env["TABLEKEEP_DEBUG"];
  return wants("--debug", argv) || (variable !== undefined && variable !== "" && variable !== "0");
}
