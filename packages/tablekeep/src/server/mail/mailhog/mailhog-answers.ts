import type { ServerResponse } from "node:http";
import { isTablekeepError, type Logger } from "@tablekeep/core";
import { HttpError, type HttpExchange } from "../../http/http-route.ts";
import { internalErrorText, logUnexpected, statusOfKind } from "../../http/responses.ts";

/** JSON as Go writes it, which MailHog's clients expect: ordered fields, no spaces, nothing that ends a script. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Answers with a body in MailHog's form, which may be empty. */
export function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array = "",
): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}

/** In version 1 every response has this type, even without a body. */
export const textJson = "text/json";

const plain = "text/plain; charset=utf-8";

/** The response to a path or method that MailHog does not have: the only error with a body. */
export function noSuchPath(): HttpError {
  return new HttpError(404, notFound);
}

/** MailHog's response if the body of a release cannot be read. */
export const badReleaseBody = "Error decoding request body";

const notFound = "404 page not found\n";
const bodiesOfMailhog: readonly string[] = [notFound, badReleaseBody];

/**
 * Answers a request that failed. MailHog's error bodies are empty, except for two, and its clients parse any body as JSON: the
 * reason is in the header `x-error` instead.
 */
export function answerMailhogError(logger: Logger): (error: unknown, exchange: HttpExchange) => void {
  return (error, { request, response }) => {
    const ours = isTablekeepError(error);
    if (!ours && !(error instanceof HttpError)) logUnexpected(logger, { request, response }, error);
    else if (ours && error.kind !== "invalid")
      logger.warn("a request failed", { method: request.method, error });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error instanceof HttpError) {
      for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
      if (bodiesOfMailhog.includes(error.message)) send(response, error.status, plain, error.message);
      else fail(response, error.status, error.message);
    } else if (ours) fail(response, error.ambiguous ? 504 : statusOfKind[error.kind], error.message);
    else fail(response, 500, internalErrorText);
  };
}

function fail(response: ServerResponse, status: number, reason: string): void {
  // Reasons may quote a client's input.
  response.setHeader("x-error", reason.replace(/[^\x20-\x7e]/g, "?").slice(0, 500));
  response.writeHead(status, { "content-length": 0 }).end();
}
