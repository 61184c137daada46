import { isTablekeepError, type TablekeepError } from "@tablekeep/core";
import { MailError } from "./mail-error.ts";

/** What a sender has to be told of a failure after which nothing is stored for sure. */
export function storeFailure(error: unknown): unknown {
  if (!isTablekeepError(error) || error.kind === "aborted" || error instanceof MailError) return error;
  if (isFull(error))
    return new MailError(
      "MAIL_STORE_FULL",
      "the store has no room: free some and send again",
      {},
      { cause: error },
    );
  switch (error.kind) {
    case "invalid":
    case "limit":
    case "corrupt":
      return new MailError(
        "MAIL_STORE_REFUSED",
        `the store refuses this message: ${error.message}`,
        { reason: error.message },
        { cause: error },
      );
    default:
      return new MailError(
        "MAIL_STORE_UNAVAILABLE",
        `the store cannot take the message now (${error.code}): send it again later`,
        {},
        { cause: error },
      );
  }
}

/** The engine's word for a full disk, also behind the error of a batch. */
function isFull(error: TablekeepError): boolean {
  let each: unknown = error;
  for (let depth = 0; depth < 5 && isTablekeepError(each); depth++) {
    if (each.code === "ENGINE_DISK_FULL") return true;
    each = each.cause;
  }
  return false;
}
