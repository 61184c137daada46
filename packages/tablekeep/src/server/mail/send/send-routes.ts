import { type ApiRoute, HttpError } from "../../http/http-route.ts";
import { jsonAnswer, jsonBody, listOf, objectOf, text } from "../../http/openapi.ts";
import { readJson } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import { summaryJson, summaryNamed } from "../api/message-json.ts";
import { type AttachedFile, ContentError, type HeaderValue, type MessageContent } from "./compose-message.ts";
import { fields, oneOrMore, optionalText, record } from "./request-fields.ts";
import { type MessageSink, type SendTarget, sendContent } from "./send-message.ts";

/** Where sent messages are stored, and how large they may be. */
export interface SendOptions extends MessageSink {
  readonly maxMessageBytes: number;
}

/** Bytes of a request whose files are base64 and whose message has at most `messageBytes`. */
export function bodyLimit(messageBytes: number): number {
  return Math.ceil((messageBytes * 4) / 3) + 65_536;
}

const addresses = { anyOf: [text, listOf(text)] };
const attachment = {
  filename: text,
  content: { type: "string", contentEncoding: "base64" },
  contentType: text,
  contentId: text,
  inline: { type: "boolean", default: false },
};
const message = {
  from: text,
  to: addresses,
  cc: addresses,
  bcc: addresses,
  replyTo: addresses,
  returnPath: text,
  subject: text,
  text,
  html: text,
  headers: { type: "object", additionalProperties: text },
  attachments: listOf({ ...objectOf(attachment), required: ["content"] }),
};

/** The mail API: a message as JSON. */
export function sendRoutes(options: SendOptions): ApiRoute[] {
  return [
    {
      method: "POST",
      path: "/api/v3/mail/send",
      access: "users",
      describe: {
        operationId: "sendMessage",
        summary: "Writes a message as MIME and stores it, without SMTP.",
        tags: ["mail"],
        requestBody: jsonBody({ ...objectOf(message), required: ["from"] }),
        responses: { 201: jsonAnswer("The message is stored.", summaryNamed) },
      },
      async handle({ request, response, signal }) {
        const body = await readJson(request, bodyLimit(options.maxMessageBytes));
        try {
          const { content, target } = parseMessage(body);
          sendJson(response, 201, summaryJson(await sendContent(options, content, target, { signal })));
        } catch (error) {
          if (error instanceof ContentError) throw new HttpError(400, error.message);
          throw error;
        }
      },
    },
  ];
}

const known = Object.keys(message);

function parseMessage(body: unknown): { content: MessageContent; target: SendTarget } {
  const given = fields(body, "the body", known);
  const from = optionalText(given, "from");
  if (from === undefined) throw new ContentError("missing from");
  const content: MessageContent = {
    from,
    to: oneOrMore(given, "to"),
    cc: oneOrMore(given, "cc"),
    replyTo: oneOrMore(given, "replyTo"),
    subject: optionalText(given, "subject") ?? "",
    text: optionalText(given, "text"),
    html: optionalText(given, "html"),
    headers: headersOf(given["headers"]),
    attachments: filesOf(given["attachments"]),
  };
  return { content, target: { bcc: oneOrMore(given, "bcc"), returnPath: optionalText(given, "returnPath") } };
}

function headersOf(given: unknown): HeaderValue[] {
  return Object.entries(record(given ?? {}, "headers")).map(([name, value]) => {
    if (typeof value !== "string") throw new ContentError(`header ${name} must be a string`);
    return { name, value };
  });
}

const attachmentFields = Object.keys(attachment);

function filesOf(given: unknown = []): AttachedFile[] {
  if (!Array.isArray(given)) throw new ContentError("attachments must be an array");
  return given.map((each: unknown) => {
    const file = fields(each, "an attachment", attachmentFields);
    const content = optionalText(file, "content");
    if (content === undefined || !/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(content))
      throw new ContentError("an attachment must have its content in base64");
    return {
      content: Buffer.from(content, "base64"),
      fileName: optionalText(file, "filename"),
      contentType: optionalText(file, "contentType"),
      contentId: optionalText(file, "contentId"),
      inline: file["inline"] === true,
    };
  });
}
