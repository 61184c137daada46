import { createInterface } from "node:readline/promises";

/** Asks at the terminal of a process; undefined where nobody sits at it. */
export function askPerson(
  { stdin, stderr }: Pick<NodeJS.Process, "stdin" | "stderr">,
  signal: AbortSignal,
): ((question: string) => Promise<boolean>) | undefined {
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: stdin, output: stderr });
    try {
      return /^y(es)?$/i.test((await terminal.question(question, { signal })).trim());
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    } finally {
      terminal.close();
    }
  };
}
