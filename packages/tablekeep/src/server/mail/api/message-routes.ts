import {
  type DecodeCache,
  type DecodedMessage,
  isMailError,
  type Mail,
  type MailMessage,
} from "@tablekeep/mail";
import type { ApiRoute, HttpExchange } from "../../http/http-route.ts";
import { HttpError } from "../../http/http-route.ts";
import { readJson } from "../../http/requests.ts";
import { contentDisposition, sendJson } from "../../http/responses.ts";
import { htmlPreview, isShownImage, previewPolicy } from "../preview/html-preview.ts";
import type { ServedMail } from "../served-mail.ts";
import { mailOperations } from "./mail-operations.ts";
import { decodedJson, undecodedJson } from "./message-json.ts";

const one = "/api/v3/mail/messages/:id";

/** The mail API: one message. */
export function messageRoutes({ mail, decoded, releaser }: ServedMail): ApiRoute[] {
  const load = async ({ params, signal }: HttpExchange): Promise<MailMessage> => {
    const message = await mail.load(params["id"] ?? "", { signal });
    if (message === undefined) throw noMessage();
    return message;
  };
  const decode = (exchange: HttpExchange) => decodeMessage(exchange, mail, decoded);
  return [
    {
      method: "GET",
      path: one,
      access: "users",
      describe: mailOperations.readMessage,
      async handle(exchange) {
        sendJson(exchange.response, 200, await messageJson(exchange, mail, decoded));
      },
    },
    {
      method: "DELETE",
      path: one,
      access: "users",
      describe: mailOperations.deleteMessage,
      async handle({ params, response, signal }) {
        if (!(await mail.deleteOne(params["id"] ?? "", { signal }))) throw noMessage();
        sendJson(response, 200, { deleted: 1 });
      },
    },
    {
      method: "GET",
      path: `${one}/raw`,
      access: "users",
      describe: mailOperations.readRawMessage,
      async handle(exchange) {
        const { id, raw } = await load(exchange);
        sendFile(exchange, raw, "message/rfc822", contentDisposition("attachment", `${id}.eml`));
      },
    },
    {
      method: "GET",
      path: `${one}/html`,
      access: "users",
      describe: mailOperations.showMessage,
      async handle(exchange) {
        await sendPreview(exchange, (await decode(exchange)).decoded);
      },
    },
    {
      method: "GET",
      path: `${one}/attachments/:index`,
      access: "users",
      describe: mailOperations.readAttachment,
      async handle(exchange) {
        const { attachments } = (await decode(exchange)).decoded;
        const found = attachments[Number(/^\d{1,6}$/.exec(exchange.params["index"] ?? "")?.[0] ?? -1)];
        if (found === undefined) throw new HttpError(404, "no such attachment");
        const name = found.filename.replace(/^.*[/\\]/s, "") || `attachment-${found.index}`;
        const disposition = contentDisposition(isShownImage(found.type) ? "inline" : "attachment", name);
        exchange.response.setHeader("content-security-policy", "sandbox; default-src 'none'");
        sendFile(exchange, found.content, plainType(found.type), disposition);
      },
    },
    {
      method: "POST",
      path: `${one}/release`,
      access: "users",
      describe: mailOperations.releaseMessage,
      async handle(exchange) {
        const { relay, to } = ((await readJson(exchange.request)) ?? {}) as { relay?: unknown; to?: unknown };
        if (typeof relay !== "string" || (to !== undefined && typeof to !== "string"))
          throw new HttpError(400, "expected the name of a relay and at most one address in to");
        await releaser.release(
          await load(exchange),
          { relay: { name: relay }, to },
          { signal: exchange.signal },
        );
        sendJson(exchange.response, 200, { released: true });
      },
    },
  ];
}

/** The decoded message, decoded once for all concurrent requests. */
async function decodeMessage({ params, signal }: HttpExchange, mail: Mail, decoded: DecodeCache) {
  const id = params["id"] ?? "";
  const message = await mail.summary(id, { signal });
  if (message === undefined) throw noMessage();
  // Other requests may wait for the same message, so it is not loaded with the signal of the first one.
  const load = async () => {
    const loaded = await mail.load(id);
    if (loaded === undefined) throw noMessage();
    return loaded.raw;
  };
  return { message, decoded: await decoded.get(id, load, { signal }) };
}

/** A message that cannot be decoded still exists, and can be downloaded, released and deleted. */
async function messageJson(exchange: HttpExchange, mail: Mail, decoded: DecodeCache): Promise<object> {
  try {
    const found = await decodeMessage(exchange, mail, decoded);
    return decodedJson(found.message, found.decoded);
  } catch (error) {
    if (!isMailError(error, "MAIL_DECODE_REFUSED")) throw error;
    const message = await mail.load(exchange.params["id"] ?? "", { signal: exchange.signal });
    if (message === undefined) throw noMessage();
    return undecodedJson(message, error);
  }
}

async function sendPreview(exchange: HttpExchange, decoded: DecodedMessage): Promise<void> {
  const { query, request, response, signal } = exchange;
  const remote = query.get("remote") === "true";
  const page = await htmlPreview(decoded, { remote, host: request.headers.host ?? "", signal });
  response.setHeader("content-security-policy", previewPolicy({ remote }));
  response.setHeader("referrer-policy", "no-referrer");
  // Browsers resolve the hosts of links before a click, which reveals the reader to the sender's name server.
  response.setHeader("x-dns-prefetch-control", "off");
  sendFile(exchange, Buffer.from(page), "text/html; charset=utf-8", "inline");
}

function noMessage(): HttpError {
  return new HttpError(404, "no such message");
}

/** Uses the sender's content type only if it is valid. */
function plainType(type: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}

function sendFile({ response }: HttpExchange, body: Uint8Array, type: string, disposition: string): void {
  response.writeHead(200, {
    "content-type": type,
    "content-length": body.length,
    "content-disposition": disposition,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  response.end(body);
}
