import {
  type DecodeCache,
  type DecodedMessage,
  isMailError,
  type Mail,
  type MailMessage,
} from "@tablekeep/mail";
import { readStructure } from "@tablekeep/mail/mime";
import { type ApiRoute, HttpError, type HttpExchange } from "../../http/http-route.ts";
import {
  count,
  jsonAnswer,
  jsonBody,
  listOf,
  objectOf,
  pathParameter,
  queryParameter,
  text,
} from "../../http/openapi.ts";
import { readJson } from "../../http/requests.ts";
import { contentDisposition, sendJson } from "../../http/responses.ts";
import { htmlPreview, isShownImage, previewPolicy } from "../preview/html-preview.ts";
import type { ServedMail } from "../served-mail.ts";
import { decodedJson, undecodedJson } from "./message-json.ts";

const path = "/api/v3/mail/messages/:id";
const tags = ["mail"];
const id = pathParameter("id", "The id of the message.");
const file = (description: string, type: string) => ({ 200: { description, content: { [type]: {} } } });

/** The mail API: one message. */
export function messageRoutes(served: ServedMail): ApiRoute[] {
  const { mail } = served;
  return [
    readMessage(served),
    deleteMessage(mail),
    readRawMessage(mail),
    readMessageStructure(mail),
    showMessage(served),
    readAttachment(served),
    releaseMessage(served),
  ];
}

function readMessage({ mail, decoded }: ServedMail): ApiRoute {
  const description = "Headers, text, HTML and attachments; decodeError if the message cannot be decoded.";
  return {
    method: "GET",
    path,
    access: "users",
    describe: {
      operationId: "readMessage",
      summary: "Returns a decoded message.",
      tags,
      parameters: [id],
      responses: { 200: jsonAnswer(description, { type: "object" }) },
    },
    async handle(exchange) {
      sendJson(exchange.response, 200, await messageJson(exchange, mail, decoded));
    },
  };
}

function deleteMessage(mail: Mail): ApiRoute {
  return {
    method: "DELETE",
    path,
    access: "users",
    describe: {
      operationId: "deleteMessage",
      summary: "Deletes a message.",
      tags,
      parameters: [id],
      responses: { 200: jsonAnswer("The message is deleted.", objectOf({ deleted: count })) },
    },
    async handle({ params, response, signal }) {
      if (!(await mail.deleteOne(params["id"] ?? "", { signal }))) throw noMessage();
      sendJson(response, 200, { deleted: 1 });
    },
  };
}

function readRawMessage(mail: Mail): ApiRoute {
  return {
    method: "GET",
    path: `${path}/raw`,
    access: "users",
    describe: {
      operationId: "readRawMessage",
      summary: "Returns the bytes of a message as received.",
      tags,
      parameters: [id],
      responses: file("The bytes.", "message/rfc822"),
    },
    async handle(exchange) {
      const { id: name, raw } = await loadMessage(exchange, mail);
      sendFile(exchange, raw, "message/rfc822", contentDisposition("attachment", `${name}.eml`));
    },
  };
}

const part = objectOf({
  type: text,
  encoding: text,
  size: count,
  charset: text,
  disposition: text,
  filename: text,
  contentId: text,
  parts: { type: "array", items: { type: "object" } },
});

function readMessageStructure(mail: Mail): ApiRoute {
  return {
    method: "GET",
    path: `${path}/structure`,
    access: "users",
    describe: {
      operationId: "readMessageStructure",
      summary: "Returns the parts of a message, without their content.",
      tags,
      parameters: [id],
      responses: { 200: jsonAnswer("The message as a part, and the parts in it.", part) },
    },
    async handle(exchange) {
      const { raw } = await loadMessage(exchange, mail);
      sendJson(exchange.response, 200, await readStructure(raw));
    },
  };
}

function showMessage({ mail, decoded }: ServedMail): ApiRoute {
  return {
    method: "GET",
    path: `${path}/html`,
    access: "users",
    describe: {
      operationId: "showMessage",
      summary: "Returns the HTML of a message as a sanitized page.",
      tags,
      parameters: [
        id,
        queryParameter("remote", "Load images from the web.", { enum: ["true", "false"], default: "false" }),
        queryParameter(
          "colors",
          "Which colors the style sheet's conditions on `prefers-color-scheme` choose.",
          {
            enum: ["light", "dark"],
          },
        ),
      ],
      responses: file("The page.", "text/html"),
    },
    async handle(exchange) {
      await sendPreview(exchange, (await decodeMessage(exchange, mail, decoded)).decoded);
    },
  };
}

function readAttachment({ mail, decoded }: ServedMail): ApiRoute {
  return {
    method: "GET",
    path: `${path}/attachments/:index`,
    access: "users",
    describe: {
      operationId: "readAttachment",
      summary: "Returns one attachment, decoded.",
      tags,
      parameters: [id, pathParameter("index", "Position among the attachments, from 0.")],
      responses: file("The bytes.", "application/octet-stream"),
    },
    async handle(exchange) {
      const { attachments } = (await decodeMessage(exchange, mail, decoded)).decoded;
      const found = attachments[Number(/^\d{1,6}$/.exec(exchange.params["index"] ?? "")?.[0] ?? -1)];
      if (found === undefined) throw new HttpError(404, "no such attachment");
      const name = found.filename.replace(/^.*[/\\]/s, "") || `attachment-${found.index}`;
      const disposition = contentDisposition(isShownImage(found.type) ? "inline" : "attachment", name);
      exchange.response.setHeader("content-security-policy", "sandbox; default-src 'none'");
      sendFile(exchange, found.content, plainType(found.type), disposition);
    },
  };
}

function releaseMessage({ mail, releaser }: ServedMail): ApiRoute {
  return {
    method: "POST",
    path: `${path}/release`,
    access: "users",
    describe: {
      operationId: "releaseMessage",
      summary: "Sends a message through a configured relay.",
      tags,
      parameters: [id],
      requestBody: jsonBody({
        ...objectOf({ relay: text, to: { anyOf: [text, listOf(text)] } }),
        required: ["relay"],
      }),
      responses: {
        200: jsonAnswer(
          "The relay accepted it.",
          objectOf({ released: { const: true }, rejected: listOf(text) }),
        ),
      },
    },
    async handle(exchange) {
      const { relay, to } = ((await readJson(exchange.request)) ?? {}) as { relay?: unknown; to?: unknown };
      if (typeof relay !== "string" || !isRecipients(to))
        throw new HttpError(
          400,
          "expected the name of a relay, and an address or an array of addresses in to",
        );
      const message = await loadMessage(exchange, mail);
      const request = { relay: { name: relay }, to };
      const { rejected } = await releaser.release(message, request, { signal: exchange.signal });
      sendJson(exchange.response, 200, { released: true, ...(rejected.length > 0 && { rejected }) });
    },
  };
}

function isRecipients(to: unknown): to is string | readonly string[] | undefined {
  return [to ?? []].flat().every((address) => typeof address === "string");
}

async function loadMessage({ params, signal }: HttpExchange, mail: Mail): Promise<MailMessage> {
  const message = await mail.load(params["id"] ?? "", { signal });
  if (message === undefined) throw noMessage();
  return message;
}

/** The decoded message, decoded once for all concurrent requests. */
async function decodeMessage({ params, signal }: HttpExchange, mail: Mail, decoded: DecodeCache) {
  const wanted = params["id"] ?? "";
  const message = await mail.summary(wanted, { signal });
  if (message === undefined) throw noMessage();
  // Other requests may wait for the same message, so it is not loaded with the signal of the first one.
  const load = async () => {
    const loaded = await mail.load(wanted);
    if (loaded === undefined) throw noMessage();
    return loaded.raw;
  };
  return { message, decoded: await decoded.get(wanted, load, { signal }) };
}

/** A message that cannot be decoded still exists, and can be downloaded, released and deleted. */
async function messageJson(exchange: HttpExchange, mail: Mail, decoded: DecodeCache): Promise<object> {
  try {
    const found = await decodeMessage(exchange, mail, decoded);
    return decodedJson(found.message, found.decoded);
  } catch (error) {
    if (!isMailError(error, "MAIL_DECODE_REFUSED")) throw error;
    return undecodedJson(await loadMessage(exchange, mail), error);
  }
}

async function sendPreview(exchange: HttpExchange, decoded: DecodedMessage): Promise<void> {
  const { query, request, response, signal } = exchange;
  const remote = query.get("remote") === "true";
  const wanted = query.get("colors");
  const colors = wanted === "light" || wanted === "dark" ? wanted : undefined;
  const page = await htmlPreview(decoded, { remote, colors, host: request.headers.host ?? "", signal });
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
