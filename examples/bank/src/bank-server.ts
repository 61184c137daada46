import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type ErrorKind, isTablekeepError } from "@tablekeep/core";
import { isEntityError } from "@tablekeep/entity";
import { type AccountCommand, account } from "./account.ts";
import { LiveBalances } from "./live-balances.ts";
import type { Bank } from "./open-bank.ts";
import { page, pageHeaders } from "./page.ts";
import { type TransferCommand, transfer } from "./transfer.ts";

const maxBodyBytes = 10_000;

const statuses: Partial<Record<ErrorKind, number>> = {
  invalid: 400,
  limit: 413,
  conflict: 409,
  throttled: 429,
  internal: 500,
};

/** The commands that callers may send; the others are messages between entities. */
const offered = { accounts: ["open", "close"], transfers: ["begin"] } as const;

/**
 * Serves the bank over HTTP: `GET` and `POST` of `/accounts/ID` and `/transfers/ID`, and `GET` of `/balances`, of `/balances/live`, a stream of
 * events, and of `/`, a page that shows it. A transfer is safe to begin again: its id makes it the same one.
 */
export function bankServer({ host, balances }: Pick<Bank, "host" | "balances">): Server {
  const live = new LiveBalances(balances);
  return createServer((request, response) => {
    if (request.method === "GET" && request.url === "/")
      return void response.writeHead(200, pageHeaders).end(page);
    if (request.method === "GET" && request.url === "/balances/live") {
      if (!live.add(response)) respond(response, 503, { error: "too many readers" });
      return;
    }
    const isOfAll = request.method === "GET" && request.url === "/balances";
    (isOfAll ? balances() : answer(host, request)).then(
      (reply) => respond(response, 200, reply),
      (error: unknown) => respond(response, ...failureOf(error)),
    );
  });
}

async function answer(host: Bank["host"], request: IncomingMessage): Promise<unknown> {
  const [, kind, id] = /^\/(accounts|transfers)\/([\w-]{1,100})$/.exec(request.url ?? "") ?? [];
  if (id === undefined) throw new HttpError(404, "not found: use /accounts/ID, /transfers/ID or /balances");
  const isAccount = kind === "accounts";
  if (request.method === "POST") {
    const command = await bodyOf(request);
    const types: readonly unknown[] = isAccount ? offered.accounts : offered.transfers;
    if (!types.includes((command as { type?: unknown } | null)?.type))
      throw new HttpError(400, `the type of the command must be one of ${types.join(", ")}`);
    // The entity validates the rest.
    if (isAccount) await host.of(account).ask(id, command as AccountCommand);
    else await host.of(transfer).ask(id, command as TransferCommand);
  } else if (request.method !== "GET") throw new HttpError(405, "use GET or POST");
  // Reads without taking the entity over from the process that works on it.
  const { state } = isAccount ? await host.of(account).read(id) : await host.of(transfer).read(id);
  return state;
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

/** Returns status and body of an error. 504 means that the command may have been carried out: send it again. */
function failureOf(error: unknown): [status: number, body: object] {
  if (error instanceof HttpError) return [error.status, { error: error.message }];
  if (!isTablekeepError(error)) return [500, { error: "internal error" }];
  const { code, message } = error;
  if (error.ambiguous) return [504, { code, error: message }];
  if (isEntityError(error, "ENTITY_COMMAND_REFUSED"))
    return [409, { code, error: message, reason: error.details.reason }];
  return [statuses[error.kind] ?? (error.retryable ? 503 : 500), { code, error: message }];
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`);
}
