import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ErrorKind, isTablekeepError, type Logger } from "@tablekeep/core";
import { HttpError, type HttpExchange } from "./http-route.ts";

/** Answers with one JSON document. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJsonText(response, status, `${JSON.stringify(body)}\n`, headers);
}

/** Sends JSON that is printed already, such as documents whose numbers must stay exact. */
export function sendJsonText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(text);
}

/**
 * The header that makes a browser download a file under this name, or show it. The name is not trusted: characters that
 * could end the header, or lead out of a folder, are removed.
 */
export function contentDisposition(how: "attachment" | "inline", fileName: string): string {
  const plain = fileName.replace(/[^\w.@=|+ -]/g, "_").slice(0, 200);
  const exact = plain === fileName ? "" : `; filename*=UTF-8''${encodeURIComponent(fileName)}`;
  return `${how}; filename="${plain}"${exact}`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a string for HTML, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const length = 52;
let stock: Buffer = Buffer.alloc(0);

/** A request id in DynamoDB's format. Random, and cheap: bytes are generated for many ids at once. */
export function requestId(): string {
  if (stock.length < length) stock = randomBytes(length * 256);
  let id = "";
  for (let at = 0; at < length; at++) id += alphabet.charAt((stock[at] as number) % alphabet.length);
  stock = stock.subarray(length);
  return id;
}

/** The response to a failed request. The error itself is only logged: it may name files and data. */
export const internalErrorText = "internal server error";

/**
 * Logs an unexpected error. The response gets the id of the log line as `x-request-id`, so that a client's report
 * leads to the line.
 */
export function logUnexpected(
  logger: Logger,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  error: unknown,
): void {
  const id = requestId();
  logger.error("request failed", { requestId: id, method: request.method, error });
  if (!response.headersSent) response.setHeader("x-request-id", id);
}

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

/** The headers of an error with this status. */
export function errorHeaders(status: number): Readonly<Record<string, string>> {
  return status === 429 ? { "retry-after": "1" } : {};
}

/** Answers with the error as one JSON document. An internal error is logged, and its message is not sent. */
export function answerError(logger: Logger): (error: unknown, exchange: HttpExchange) => void {
  return (error, { request, response }) => {
    const isOurs = isTablekeepError(error);
    if (!isOurs && !(error instanceof HttpError)) {
      logUnexpected(logger, { request, response }, error);
    }
    if (response.headersSent) response.destroy();
    else if (error instanceof HttpError) {
      sendJson(response, error.status, { error: error.message }, error.headers);
    } else if (isOurs) {
      const { code, message, ambiguous } = error;
      // A write that may have been applied has not failed: 504 means that its response is missing.
      const status = ambiguous ? 504 : statusOfKind[error.kind];
      const body = { error: message, code, ...(ambiguous && { mayBeApplied: true }) };
      sendJson(response, status, body, errorHeaders(status));
    } else sendJson(response, 500, { error: internalErrorText });
  };
}
