import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type ErrorKind, isTablekeepError } from "@tablekeep/core";
import { type EntityHost, isEntityError } from "@tablekeep/entity";
import { type CartCommand, cart, viewOf } from "./cart.ts";

const maxBodyBytes = 10_000;

const statuses: Partial<Record<ErrorKind, number>> = {
  invalid: 400,
  limit: 413,
  conflict: 409,
  throttled: 429,
  internal: 500,
};

/**
 * Serves carts over HTTP. `GET /carts/ID` returns a cart, `POST /carts/ID` carries out the command in the body. A command
 * with the header `Idempotency-Key` is safe to repeat: it gets its first reply.
 */
export function cartServer(host: EntityHost<typeof cart>): Server {
  return createServer((request, response) => {
    answer(host, request).then(
      (reply) => send(response, 200, reply),
      (error: unknown) => send(response, ...failureOf(error)),
    );
  });
}

async function answer(host: EntityHost<typeof cart>, request: IncomingMessage): Promise<unknown> {
  const [, id] = /^\/carts\/([\w-]{1,100})$/.exec(request.url ?? "") ?? [];
  if (id === undefined) throw new HttpError(404, "not found: use /carts/ID");
  // Reads without taking over the cart from another process.
  if (request.method === "GET") return viewOf((await host.of(cart).read(id)).state);
  if (request.method !== "POST") throw new HttpError(405, "use GET or POST");
  const command = await bodyOf(request);
  const commandId = request.headers["idempotency-key"];
  // The entity validates it.
  return host.of(cart).ask(id, command as CartCommand, typeof commandId === "string" ? { commandId } : {});
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new HttpError(413, `a command must have at most ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new HttpError(400, "the body must be JSON");
  }
}

class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns status and body of an error. 504 means that the command may have been carried out: repeat it with its key. */
function failureOf(error: unknown): [status: number, body: object] {
  if (error instanceof HttpError) return [error.status, { error: error.message }];
  if (!isTablekeepError(error)) return [500, { error: "internal error" }];
  const { code, message } = error;
  if (error.ambiguous) return [504, { code, error: message }];
  if (isEntityError(error, "ENTITY_COMMAND_REFUSED"))
    return [409, { code, error: message, reason: error.details.reason, facts: error.details.facts }];
  return [statuses[error.kind] ?? (error.retryable ? 503 : 500), { code, error: message }];
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`);
}
