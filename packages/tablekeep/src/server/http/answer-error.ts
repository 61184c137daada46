import { type ErrorKind, isTablekeepError, type Logger } from "@tablekeep/core";
import type { HttpExchange } from "./http-exchange.ts";
import { HttpRefusal } from "./http-refusal.ts";
import { faultText, logFault } from "./log-fault.ts";
import { sendJson } from "./send-json.ts";

/** The status of each kind of error. */
export const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  denied: 403,
  "not-found": 404,
  conflict: 409,
  limit: 413,
  throttled: 429,
  corrupt: 500,
  internal: 500,
  unavailable: 503,
  closed: 503,
  aborted: 503,
};

/** Answers with what went wrong as one JSON document. A fault of our own is logged, and its words stay here. */
export function answerError(logger: Logger): (error: unknown, exchange: HttpExchange) => void {
  return (error, { request, response }) => {
    const isOurs = isTablekeepError(error);
    if (!isOurs && !(error instanceof HttpRefusal)) {
      logFault(logger, { request, response }, error);
    }
    if (response.headersSent) response.destroy();
    else if (error instanceof HttpRefusal) {
      sendJson(response, error.status, { error: error.message }, error.headers);
    } else if (isOurs) {
      const { code, message, ambiguous } = error;
      // A write that may have been applied is no failure: 504 tells that the answer is missing, not the deed.
      const status = ambiguous ? 504 : statusOfKind[error.kind];
      sendJson(response, status, { error: message, code, ...(ambiguous && { mayBeApplied: true }) });
    } else sendJson(response, 500, { error: faultText });
  };
}
