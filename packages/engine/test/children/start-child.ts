import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A child process and what it says. */
export interface StartedChild<Line> {
  readonly process: ChildProcess;
  /** The lines that it has printed so far. */
  readonly lines: readonly Line[];
  /** Resolves with the first line that is printed. Rejects if it ends without one. */
  readonly firstLine: Promise<Line>;
  /** Resolves once it has ended and all it printed is in `lines`. */
  readonly ended: Promise<void>;
}

/** Starts a script whose every line of output is a JSON document. */
export function startChild<Line>(script: string, ...args: readonly string[]): StartedChild<Line> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const lines: Line[] = [];
  const reader = createInterface({ input: child.stdout });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const firstLine = new Promise<Line>((resolve, reject) => {
    reader.once("line", (line) => resolve(JSON.parse(line) as Line));
    void ended.then(() => reject(new Error("the child ended without a word")));
  });
  firstLine.catch(() => undefined);
  reader.on("line", (line) => {
    // A kill may cut the last line.
    if (line.endsWith("}")) lines.push(JSON.parse(line) as Line);
  });
  return { process: child, lines, firstLine, ended };
}
