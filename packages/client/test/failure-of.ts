import { isTablekeepError, type TablekeepError } from "@tablekeep/core";

/** The error that a call ends with; fails if it succeeds, or with an error that is not a TablekeepError. */
export async function failureOf(
  call: Promise<unknown>,
): Promise<TablekeepError<string, Record<string, unknown>>> {
  const error = await call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (failure: unknown) => failure,
  );
  if (!isTablekeepError(error)) throw error;
  return error as TablekeepError<string, Record<string, unknown>>;
}
