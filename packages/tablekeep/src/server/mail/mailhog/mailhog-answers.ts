import type { ServerResponse } from "node:http";
import { isTablekeepError, type Logger } from "@tablekeep/core";
import { statusOfKind } from "../../http/answer-error.ts";
import type { HttpExchange } from "../../http/http-exchange.ts";
import { HttpRefusal } from "../../http/http-refusal.ts";

/** Answers with a body of MailHog's; an empty one where it has none. */
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

/** In the first version everything is called that, also what has no body. */
export const textJson = "text/json";

const plain = "text/plain; charset=utf-8";

/** What cannot be answered: MailHog's words for what is not there, one line of ours for the rest. */
export function answerMailhogError(logger: Logger): (error: unknown, exchange: HttpExchange) => void {
  return (error, { request, response }) => {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error instanceof HttpRefusal) {
      for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
      send(
        response,
        error.status,
        plain,
        error.status === 404 ? "404 page not found\n" : `${error.message}\n`,
      );
    } else if (isTablekeepError(error)) {
      send(response, error.ambiguous ? 504 : statusOfKind[error.kind], plain, `${error.message}\n`);
    } else {
      logger.error("a request failed", { method: request.method, error });
      send(response, 500, plain, "a fault of tablekeep itself\n");
    }
  };
}
