import { byteText } from "./byte-text.ts";
import { decodeWords } from "./decode-text.ts";
import { fieldOf, parameterValue } from "./header-fields.ts";
import { type MessagePart, readMessageParts } from "./message-parts.ts";

/** A part of a message, and the parts in it. */
export interface MessageStructure {
  /** In lower case, such as `multipart/mixed`. `text/plain` where the message does not say. */
  readonly type: string;
  /** The transfer encoding, in lower case. `7bit` where the message does not say. */
  readonly encoding: string;
  /** The bytes of its body, still encoded. */
  readonly size: number;
  readonly charset?: string;
  /** `attachment` or `inline`. */
  readonly disposition?: string;
  readonly filename?: string;
  readonly contentId?: string;
  /** Of a multipart, its parts; of a `message/rfc822` or `message/global`, the message. */
  readonly parts: readonly MessageStructure[];
}

/**
 * Reads how a message is put together, as IMAP's BODYSTRUCTURE shows it: up to 1,000 parts, 20 deep. Lets the event loop run in between.
 *
 * @example
 * const { type, parts } = await readStructure(message.raw); // "multipart/alternative", [{ type: "text/plain", … }, …]
 */
export async function readStructure(raw: Uint8Array): Promise<MessageStructure> {
  return structureOf(await readMessageParts(byteText(raw)));
}

function structureOf({ type, fields, bodyAt, end, parts, message }: MessagePart): MessageStructure {
  const disposition = parameterValue(fieldOf(fields, "content-disposition"));
  const charset = type.parameters.get("charset");
  const filename = disposition.parameters.get("filename") ?? type.parameters.get("name");
  const contentId = fieldOf(fields, "content-id").trim();
  return {
    type: type.value,
    encoding: fieldOf(fields, "content-transfer-encoding").trim().toLowerCase() || "7bit",
    size: end - bodyAt,
    ...(charset !== undefined && { charset: decodeWords(charset) }),
    ...(disposition.value !== "" && { disposition: disposition.value }),
    ...(filename !== undefined && { filename: decodeWords(filename) }),
    ...(contentId !== "" && { contentId: decodeWords(contentId) }),
    parts: (message === undefined ? parts : [message]).map(structureOf),
  };
}
