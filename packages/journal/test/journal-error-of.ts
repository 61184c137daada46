import { expect } from "vitest";
import { JournalError } from "../src/errors/journal-error.ts";

/** The error of this package that `run` throws. */
export function journalErrorOf(run: () => unknown): JournalError {
  try {
    run();
  } catch (error) {
    if (error instanceof JournalError) return error;
    throw error;
  }
  return expect.fail("nothing was thrown");
}
