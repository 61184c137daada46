import { byteText } from "../../mime/byte-text.ts";
import { maxHeaderBytes } from "../../mime/header-fields.ts";
import { type MessagePart, readMessageParts, readTopPart } from "../../mime/message-parts.ts";
import type { MailMessage } from "../../model/message.ts";
import { type AnswerPiece, internalDate, nstring } from "../protocol/imap-format.ts";
import { ImapSyntaxError, type ImapValue } from "../protocol/imap-values.ts";
import { bodyStructure } from "./body-structure.ts";
import { type FlaggedEntry, flagList } from "./flags.ts";
import { envelopeOf } from "./imap-envelope.ts";
import { parseSection, type Section, sectionBytes } from "./sections.ts";

/** One item of FETCH. */
export type FetchItem =
  | { readonly kind: "FLAGS" | "UID" | "INTERNALDATE" | "RFC822.SIZE" }
  | { readonly kind: "ENVELOPE" | "BODY" | "BODYSTRUCTURE" }
  | {
      readonly kind: "SECTION";
      /** The name in the response. */
      readonly label: string;
      readonly section: Section;
      readonly partial: { readonly from: number; readonly length: number } | undefined;
    };

const macros: Readonly<Record<string, readonly string[]>> = {
  FAST: ["FLAGS", "INTERNALDATE", "RFC822.SIZE"],
  ALL: ["FLAGS", "INTERNALDATE", "RFC822.SIZE", "ENVELOPE"],
  FULL: ["FLAGS", "INTERNALDATE", "RFC822.SIZE", "ENVELOPE", "BODY"],
};

const plain = ["FLAGS", "UID", "INTERNALDATE", "RFC822.SIZE", "ENVELOPE", "BODY", "BODYSTRUCTURE"] as const;

/** Older names of sections. */
const olderNames: Readonly<Record<string, string>> = {
  RFC822: "",
  "RFC822.HEADER": "HEADER",
  "RFC822.TEXT": "TEXT",
};

/** Items of one FETCH; more are rejected. */
const maxItems = 100;

/** Parses the items of FETCH. */
export function parseFetchItems(value: ImapValue | undefined): readonly FetchItem[] {
  if (value === undefined) throw new ImapSyntaxError("expected items to fetch");
  const words = value.kind === "list" ? value.items : [value];
  if (words.length === 0 || words.length > maxItems) throw new ImapSyntaxError("expected items to fetch");
  return words.flatMap((word) => {
    if (word.kind !== "atom") throw new ImapSyntaxError("invalid fetch item");
    const macro = value.kind === "list" ? undefined : macros[word.text.toUpperCase()];
    return (macro ?? [word.text]).map(parseItem);
  });
}

function parseItem(text: string): FetchItem {
  const upper = text.toUpperCase();
  const known = plain.find((each) => each === upper);
  if (known !== undefined) return { kind: known };
  const older = Object.hasOwn(olderNames, upper) ? olderNames[upper] : undefined;
  if (older !== undefined)
    return { kind: "SECTION", label: upper, section: parseSection(older), partial: undefined };
  const [, section, from, length] =
    /^BODY(?:\.PEEK)?\[([^\]]*)\](?:<(\d{1,10})\.([1-9]\d{0,9})>)?$/i.exec(text) ?? [];
  if (section === undefined) throw new ImapSyntaxError("invalid fetch item");
  const partial = from === undefined ? undefined : { from: Number(from), length: Number(length) };
  const label = `BODY[${section}]${partial === undefined ? "" : `<${partial.from}>`}`;
  return { kind: "SECTION", label, section: parseSection(section), partial };
}

/** The known facts about a message before reading it. */
export interface FetchedEntry extends FlaggedEntry {
  readonly uid: number;
  readonly created: number;
  readonly size: number;
}

/** Whether an item needs the bytes of the message. */
export function needsBytes({ kind }: FetchItem): boolean {
  return kind === "ENVELOPE" || kind === "BODY" || kind === "BODYSTRUCTURE" || kind === "SECTION";
}

/** Whether an item needs the parts of the message, and not only its header or all of it. */
function needsParts(item: FetchItem): boolean {
  if (item.kind === "SECTION") return item.section.numbers.length > 0;
  return item.kind === "BODY" || item.kind === "BODYSTRUCTURE";
}

/** The response for one message, without the brackets around it. Bytes are not copied. */
export async function fetchAnswer(
  items: readonly FetchItem[],
  entry: FetchedEntry,
  message: Pick<MailMessage, "raw"> | undefined,
): Promise<AnswerPiece[]> {
  const read = message === undefined ? undefined : await readMessage(message.raw, items.some(needsParts));
  return items.flatMap((item, at) => [...(at === 0 ? [] : [" "]), ...itemAnswer(item, entry, read)]);
}

interface ReadMessage {
  readonly raw: Buffer;
  /** With its parts, if an item needs them. */
  readonly root: MessagePart;
}

async function readMessage(bytes: Uint8Array, withParts: boolean): Promise<ReadMessage> {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const root = withParts
    ? await readMessageParts(byteText(raw))
    : readTopPart(byteText(raw.subarray(0, maxHeaderBytes)), raw.length);
  return { raw, root };
}

function itemAnswer(
  item: FetchItem,
  entry: FetchedEntry,
  read: ReadMessage | undefined,
): readonly AnswerPiece[] {
  switch (item.kind) {
    case "FLAGS":
      return [`FLAGS ${flagList(entry)}`];
    case "UID":
      return [`UID ${entry.uid}`];
    case "INTERNALDATE":
      return [`INTERNALDATE ${internalDate(entry.created)}`];
    case "RFC822.SIZE":
      return [`RFC822.SIZE ${entry.size}`];
  }
  if (read === undefined) throw new TypeError("the message was not read");
  switch (item.kind) {
    case "ENVELOPE":
      return ["ENVELOPE ", ...envelopeOf(read.root.fields)];
    case "BODY":
    case "BODYSTRUCTURE":
      return [`${item.kind} `, ...bodyStructure(read.root, item.kind === "BODYSTRUCTURE")];
    case "SECTION":
      return [`${item.label} `, ...nstring(sectionOf(item.section, item.partial, read))];
  }
}

function sectionOf(
  section: Section,
  partial: { readonly from: number; readonly length: number } | undefined,
  read: ReadMessage,
): Uint8Array | undefined {
  const isWhole = section.what === "ALL" && section.numbers.length === 0;
  const found = isWhole ? read.raw : sectionBytes(section, read.root, read.raw);
  return partial === undefined ? found : found?.subarray(partial.from, partial.from + partial.length);
}
