import type { IncomingMessage } from "node:http";
import { HttpRefusal } from "./http-refusal.ts";

const usualLimitBytes = 1024 * 1024;

/** The body of a request. One over the limit is refused as soon as that is known. */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number = usualLimitBytes,
): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The JSON document that the client sent. An empty body is `undefined`. */
export async function readJson(
  request: IncomingMessage,
  limitBytes: number = usualLimitBytes,
): Promise<unknown> {
  const body = await readBody(request, limitBytes);
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new HttpRefusal(400, "the body is no JSON document in UTF-8");
  }
}

function tooLarge(limitBytes: number): HttpRefusal {
  return new HttpRefusal(413, `the body is larger than ${limitBytes} bytes`, { connection: "close" });
}
