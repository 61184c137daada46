import type { CallOptions } from "@tablekeep/core";
import type { StoredMessage } from "@tablekeep/mail";
import type { AttachedFile, HeaderValue } from "../compose-message.ts";
import { type JsonRecord, optionalText, record, texts } from "../request-fields.ts";
import { type MessageSink, sendContent, sendRaw } from "../send-message.ts";
import { badRequest } from "./ses-error.ts";
import { type RenderedTemplate, renderTemplate, templateData } from "./ses-template.ts";

/** AWS: recipients of one message, To, Cc and Bcc together. */
const maxRecipients = 50;

/** The addresses of a request. */
interface SesAddresses {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
}

function addressesOf(destination: unknown): SesAddresses {
  const given = record(destination ?? {}, "Destination");
  const found = {
    to: texts(given, "ToAddresses"),
    cc: texts(given, "CcAddresses"),
    bcc: texts(given, "BccAddresses"),
  };
  if (found.to.length + found.cc.length + found.bcc.length > maxRecipients)
    throw badRequest(`Recipient count exceeds ${maxRecipients}.`);
  return found;
}

/** The parts of a message besides its text. */
interface Surroundings {
  /** The body of the request. */
  readonly request: JsonRecord;
  readonly addresses: SesAddresses;
  readonly headers: readonly HeaderValue[];
  readonly attachments: readonly AttachedFile[];
}

function send(
  sink: MessageSink,
  content: RenderedTemplate,
  { request, addresses, headers, attachments }: Surroundings,
  options: CallOptions,
): Promise<StoredMessage> {
  const from = optionalText(request, "FromEmailAddress");
  if (from === undefined) throw badRequest("Missing required field 'FromEmailAddress'.");
  const { to, cc, bcc } = addresses;
  const replyTo = texts(request, "ReplyToAddresses");
  const returnPath = optionalText(request, "FeedbackForwardingEmailAddress");
  const whole = { from, to, cc, replyTo, ...content, headers, attachments };
  return sendContent(sink, whole, { bcc, returnPath }, options);
}

/** SendEmail: the message is described (Simple), MIME already (Raw), or a template. */
export async function sendEmail(
  sink: MessageSink,
  body: unknown,
  options: CallOptions,
): Promise<StoredMessage> {
  const request = record(body, "the request");
  const content = record(request["Content"] ?? {}, "Content");
  const kinds = ["Simple", "Raw", "Template"].filter((kind) => (content[kind] ?? undefined) !== undefined);
  if (kinds.length !== 1) throw badRequest("Content must contain exactly one of Raw, Simple or Template.");
  const given = record(content[kinds[0] ?? ""], `Content.${kinds[0]}`);
  const addresses = addressesOf(request["Destination"]);
  if (kinds[0] === "Raw") {
    const to = [...addresses.to, ...addresses.cc, ...addresses.bcc];
    const from =
      optionalText(request, "FeedbackForwardingEmailAddress") ?? optionalText(request, "FromEmailAddress");
    return sendRaw(sink, { raw: bytesOf(given, "Data"), from, to }, options);
  }
  const around = { request, addresses, headers: headersOf(given["Headers"]), attachments: filesOf(given) };
  return send(sink, kinds[0] === "Simple" ? simpleText(given) : templateText(given), around, options);
}

function simpleText(given: JsonRecord): RenderedTemplate {
  const parts = record(given["Body"] ?? {}, "Body");
  const data = (owner: JsonRecord, name: string) =>
    owner[name] === undefined || owner[name] === null
      ? undefined
      : optionalText(record(owner[name], name), "Data");
  const subject = data(given, "Subject");
  const [text, html] = [data(parts, "Text"), data(parts, "Html")];
  if (subject === undefined) throw badRequest("Missing required field 'Subject'.");
  if (text === undefined && html === undefined) throw badRequest("Missing required field 'Body'.");
  return { subject, text, html };
}

function templateText(given: JsonRecord): RenderedTemplate {
  return renderTemplate(given, templateData(optionalText(given, "TemplateData")));
}

/** One entry of SendBulkEmail: the default template with the entry's own data and headers. */
export async function sendBulkEntry(
  sink: MessageSink,
  request: JsonRecord,
  entry: unknown,
  options: CallOptions,
): Promise<StoredMessage> {
  const given = record(entry, "a bulk entry");
  const template = defaultTemplate(request);
  const content = record(given["ReplacementEmailContent"] ?? {}, "ReplacementEmailContent");
  const replacement = record(content["ReplacementTemplate"] ?? {}, "ReplacementTemplate");
  const data = {
    ...templateData(optionalText(template, "TemplateData")),
    ...templateData(optionalText(replacement, "ReplacementTemplateData")),
  };
  const own = headersOf(given["ReplacementHeaders"]);
  const names = new Set(own.map(({ name }) => name.toLowerCase()));
  const common = headersOf(template["Headers"]).filter(({ name }) => !names.has(name.toLowerCase()));
  const around = {
    request,
    addresses: addressesOf(given["Destination"]),
    headers: [...common, ...own],
    attachments: filesOf(template),
  };
  return send(sink, renderTemplate(template, data), around, options);
}

/** The template of a bulk request. */
export function defaultTemplate(request: JsonRecord): JsonRecord {
  const content = record(request["DefaultContent"] ?? {}, "DefaultContent");
  if (content["Template"] === undefined)
    throw badRequest("Missing required field 'DefaultContent.Template'.");
  return record(content["Template"], "Template");
}

function headersOf(given: unknown): HeaderValue[] {
  return listOf(given, "Headers").map((each) => {
    const header = record(each, "a header");
    return { name: optionalText(header, "Name") ?? "", value: optionalText(header, "Value") ?? "" };
  });
}

function filesOf(owner: JsonRecord): AttachedFile[] {
  return listOf(owner["Attachments"], "Attachments").map((each) => {
    const file = record(each, "an attachment");
    return {
      content: bytesOf(file, "RawContent"),
      fileName: optionalText(file, "FileName"),
      contentType: optionalText(file, "ContentType"),
      contentId: optionalText(file, "ContentId")?.replace(/^<(.*)>$/, "$1"),
      inline: file["ContentDisposition"] === "INLINE",
    };
  });
}

/** Bytes are base64 in JSON. */
function bytesOf(owner: JsonRecord, name: string): Buffer {
  const given = optionalText(owner, name);
  if (given === undefined || given === "") throw badRequest(`Missing required field '${name}'.`);
  return Buffer.from(given, "base64");
}

function listOf(given: unknown, name: string): readonly unknown[] {
  const list = given ?? [];
  if (!Array.isArray(list)) throw badRequest(`${name} must be an array.`);
  return list as readonly unknown[];
}
