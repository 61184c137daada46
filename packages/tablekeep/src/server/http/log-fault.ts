import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "@tablekeep/core";
import { requestId } from "../dynamodb/request-id.ts";

/** What the client of a failed request reads. The error itself goes to the log only: it may name files and data. */
export const faultText = "internal server error";

/**
 * Logs an error that nobody expected. The answer gets the id of the log line as `x-request-id`, so that a client's report
 * leads to the line.
 */
export function logFault(
  logger: Logger,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  error: unknown,
): void {
  const id = requestId();
  logger.error("request failed", { requestId: id, method: request.method, error });
  if (!response.headersSent) response.setHeader("x-request-id", id);
}
