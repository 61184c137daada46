import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type ErrorKind, isTablekeepError } from "@tablekeep/core";
import { type EntityHost, isEntityError } from "@tablekeep/entity";
import { type CartCommand, cart } from "./cart.ts";

const maxBodyBytes = 10_000;

const statuses: Partial<Record<ErrorKind, number>> = {
  invalid: 400,
  limit: 413,
  conflict: 409,
  throttled: 429,
};

/**
 * The carts over HTTP: `GET /carts/ID` shows one, `POST /carts/ID` gives it the command in the body. With the header
 * `Idempotency-Key` a command may be sent again without harm: it gets its first answer.
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
  if (id === undefined) throw new HttpError(404, "there is only /carts/ID");
  if (request.method === "GET") return host.of(cart).ask(id, { type: "show" });
  if (request.method !== "POST") throw new HttpError(405, "use GET or POST");
  const command = await bodyOf(request);
  const commandId = request.headers["idempotency-key"];
  // Its schema is checked by the entity.
  return host.of(cart).ask(id, command as CartCommand, typeof commandId === "string" ? { commandId } : {});
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new HttpError(413, `a command has ${maxBodyBytes} bytes at most`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new HttpError(400, "the body is no JSON");
  }
}

class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The status and the body for an error. 504 means that the command may have been carried out: send it again. */
function failureOf(error: unknown): [status: number, body: object] {
  if (error instanceof HttpError) return [error.status, { error: error.message }];
  if (!isTablekeepError(error)) return [500, { error: "an error that nobody expected" }];
  const { code, message } = error;
  if (error.ambiguous) return [504, { code, error: message }];
  if (isEntityError(error, "ENTITY_COMMAND_REFUSED"))
    return [409, { code, error: message, reason: error.details.reason, facts: error.details.facts }];
  return [statuses[error.kind] ?? 503, { code, error: message }];
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`);
}
