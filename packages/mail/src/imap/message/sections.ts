import { type MessagePart, partAt } from "../../mime/message-parts.ts";
import { ImapSyntaxError } from "../protocol/imap-values.ts";

/** The part of a message to read: the text in the brackets of `BODY[…]`. */
export interface Section {
  /** As the client wrote it. */
  readonly text: string;
  readonly numbers: readonly number[];
  readonly what: "ALL" | "HEADER" | "TEXT" | "MIME" | "FIELDS" | "NOT";
  /** The names of HEADER.FIELDS, in lower case. */
  readonly names: readonly string[];
}

const pattern =
  /^((?:[1-9]\d{0,3}(?:\.|$)){0,20})(HEADER\.FIELDS\.NOT|HEADER\.FIELDS|HEADER|TEXT|MIME)?(?: +\(([^()]*)\))?$/i;

/** Parses a section. */
export function parseSection(text: string): Section {
  const [whole, path = "", word = "", names] = pattern.exec(text) ?? [];
  if (whole === undefined || (path.endsWith(".") && word === ""))
    throw new ImapSyntaxError("invalid section");
  const numbers = path.split(".").filter(Boolean).map(Number);
  const kind = word.toUpperCase();
  const what = { "": "ALL", "HEADER.FIELDS": "FIELDS", "HEADER.FIELDS.NOT": "NOT" }[kind] ?? kind;
  const hasNames = what === "FIELDS" || what === "NOT";
  if (hasNames !== (names !== undefined) || (what === "MIME" && numbers.length === 0))
    throw new ImapSyntaxError("invalid section");
  return {
    text,
    numbers,
    what: what as Section["what"],
    names: (names ?? "").toLowerCase().replaceAll('"', "").split(/\s+/).filter(Boolean),
  };
}

/** The bytes of a section; undefined if the message has no such part. */
export function sectionBytes(section: Section, root: MessagePart, raw: Buffer): Buffer | undefined {
  const part = partAt(root, section.numbers);
  if (part === undefined) return undefined;
  const isRoot = section.numbers.length === 0;
  if (section.what === "ALL") return isRoot ? raw : raw.subarray(part.bodyAt, part.end);
  if (section.what === "MIME") return header(part, raw);
  // Only messages have HEADER and TEXT: the message itself, or one that is a part.
  const message = isRoot ? part : part.message;
  if (message === undefined) return undefined;
  switch (section.what) {
    case "TEXT":
      return raw.subarray(message.bodyAt, message.end);
    case "HEADER":
      return header(message, raw);
    default:
      return chosenFields(message, section, raw);
  }
}

const emptyLine = Buffer.from("\r\n");

function header({ start, bodyAt, fields }: MessagePart, raw: Buffer): Buffer {
  const bytes = raw.subarray(start, bodyAt);
  return fields.separated ? bytes : Buffer.concat([bytes, emptyLine]);
}

function chosenFields({ start, fields }: MessagePart, { names, what }: Section, raw: Buffer): Buffer {
  const chosen = fields.fields.filter(({ name }) => names.includes(name) === (what === "FIELDS"));
  const parts = chosen.map((field) => raw.subarray(start + field.start, start + field.end));
  return Buffer.concat([...parts, emptyLine]);
}
