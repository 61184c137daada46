import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Logger } from "@tablekeep/core";
import { HttpError, type HttpExchange } from "./http-route.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

const defaultLimitBytes = 1024 * 1024;

/** Reads the body of a request. A body over the limit is rejected as soon as that is known. */
export function readBody(request: IncomingMessage, limitBytes: number = defaultLimitBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"] ?? 0) > limitBytes) throw tooLarge(limitBytes);
    const disconnected = () => reject(new Error("the client disconnected before the end of its request"));
    if (request.destroyed) disconnected();
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) chunks.push(chunk);
      else reject(tooLarge(limitBytes));
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", disconnected);
  });
}

/** The JSON document that the client sent. An empty body is `undefined`. */
export async function readJson(
  request: IncomingMessage,
  limitBytes: number = defaultLimitBytes,
): Promise<unknown> {
  const body = await readBody(request, limitBytes);
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    throw notUtf8Json();
  }
}

/** The text of a body in UTF-8. */
export async function readText(request: IncomingMessage): Promise<string> {
  const body = await readBody(request);
  try {
    return decoder.decode(body);
  } catch {
    throw notUtf8Json();
  }
}

function notUtf8Json(): HttpError {
  return new HttpError(400, "the body must be JSON in UTF-8");
}

function tooLarge(limitBytes: number): HttpError {
  return new HttpError(413, `the body is larger than ${limitBytes} bytes`, { connection: "close" });
}

/** An integer of the query string within bounds; `fallback` if it is missing. */
export function queryNumber<Fallback extends number | undefined>(
  { query }: Pick<HttpExchange, "query">,
  name: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER, fallback }: { min?: number; max?: number; fallback: Fallback },
): number | Fallback {
  const text = query.get(name);
  if (text === null || text === "") return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new HttpError(400, `${name} must be an integer from ${min} to ${max}`);
}

/**
 * Runs work that continues when its client disconnects: a delete that stops halfway is useless. It ends early only
 * when the server stops as well. A failure without a client is logged.
 */
export async function continueAfterDisconnect<Result>(
  { signal, stopping }: Pick<HttpExchange, "signal" | "stopping">,
  logger: Logger,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  // The work may send many requests at once, each of which listens to the signal.
  setMaxListeners(0, over.signal);
  const check = () => {
    if (signal.aborted && stopping.aborted) over.abort(stopping.reason);
  };
  for (const each of [signal, stopping]) each.addEventListener("abort", check);
  check();
  try {
    return await work(over.signal);
  } catch (error) {
    if (signal.aborted) logger.warn("request failed after its client disconnected", { error });
    throw error;
  } finally {
    for (const each of [signal, stopping]) each.removeEventListener("abort", check);
  }
}
