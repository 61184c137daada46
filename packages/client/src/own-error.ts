import { isTablekeepError, type TablekeepError } from "@tablekeep/core";

/** An error of the family. Any other is a fault in the program and goes its way. */
export function ownError(error: unknown): TablekeepError {
  if (isTablekeepError(error)) return error;
  throw error;
}
