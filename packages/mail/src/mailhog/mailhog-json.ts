import { EncodedText, textChunks } from "../mime/byte-text.ts";
import type { MailhogJsonOptions, MailhogMessage, MailhogPath } from "../model/mailhog-shape.ts";

/** A message in MailHog's shape. Long strings may still be encoded. */
export interface MailhogShape extends Omit<MailhogMessage, "Content" | "MIME" | "Raw"> {
  readonly Content: ShapedContent;
  readonly MIME: { readonly Parts: readonly ShapedContent[] | null } | null;
  readonly Raw: Omit<MailhogMessage["Raw"], "Data"> & { readonly Data: string | EncodedText };
}

/** A part of a message. Its body may still be encoded. */
export interface ShapedContent {
  readonly Headers: Readonly<Record<string, readonly string[]>>;
  readonly Body: string | EncodedText;
  readonly Size: number;
  readonly MIME: { readonly Parts: readonly ShapedContent[] | null } | null;
}

/** Members of an object, in order. Names chosen by senders never become properties of a JavaScript object. */
class Members {
  readonly pairs: readonly (readonly [name: string, value: Json])[];
  constructor(pairs: readonly (readonly [name: string, value: Json])[]) {
    this.pairs = pairs;
  }
}

type Json = string | number | null | EncodedText | Members | readonly Json[];

/** Writes a message as Go does, in chunks: fields in order, headers sorted, characters of HTML escaped. */
export function* shapeJson(
  shape: MailhogShape,
  { indent = 0, linePrefix = "" }: MailhogJsonOptions = {},
): Generator<string, void, undefined> {
  const line = (level: number) => (indent === 0 ? "" : `\n${linePrefix}${" ".repeat(indent * level)}`);
  yield* write(messageJson(shape), { line, colon: indent === 0 ? ":" : ": " }, 0);
}

interface Format {
  line(level: number): string;
  readonly colon: string;
}

function* write(value: Json, format: Format, level: number): Generator<string, void, undefined> {
  if (value instanceof EncodedText) yield* quoted(value.chunks());
  else if (typeof value === "string") yield* quoted(textChunks(value));
  else if (value === null || typeof value === "number") yield String(value);
  else {
    const isList = !(value instanceof Members);
    const [open, close] = isList ? "[]" : "{}";
    const entries: readonly (readonly [string, Json])[] = isList
      ? value.map((each) => ["", each])
      : value.pairs;
    yield open as string;
    for (const [at, [name, each]] of entries.entries()) {
      yield `${at === 0 ? "" : ","}${format.line(level + 1)}`;
      if (!isList) {
        yield* quoted(textChunks(name));
        yield format.colon;
      }
      yield* write(each, format, level + 1);
    }
    yield `${entries.length === 0 ? "" : format.line(level)}${close}`;
  }
}

function* quoted(chunks: Iterable<string>): Generator<string, void, undefined> {
  yield '"';
  for (const chunk of chunks) yield escaped(chunk);
  yield '"';
}

/** Escapes the content of a JSON string as Go does. */
function escaped(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(
      /[<>&\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}

function messageJson({ ID, From, To, Content, Created, MIME, Raw }: MailhogShape): Json {
  return new Members([
    ["ID", ID],
    ["From", pathJson(From)],
    ["To", To === null ? null : To.map(pathJson)],
    ["Content", contentJson(Content)],
    ["Created", Created],
    ["MIME", mimeJson(MIME)],
    [
      "Raw",
      new Members([
        ["From", Raw.From],
        ["To", Raw.To],
        ["Data", Raw.Data],
        ["Helo", Raw.Helo],
      ]),
    ],
  ]);
}

function pathJson({ Relays, Mailbox, Domain, Params }: MailhogPath): Json {
  return new Members([
    ["Relays", Relays],
    ["Mailbox", Mailbox],
    ["Domain", Domain],
    ["Params", Params],
  ]);
}

function contentJson({ Headers, Body, Size, MIME }: ShapedContent): Json {
  return new Members([
    ["Headers", new Members(Object.entries(Headers).sort(([one], [other]) => byBytes(one, other)))],
    ["Body", Body],
    ["Size", Size],
    ["MIME", mimeJson(MIME)],
  ]);
}

function mimeJson(mime: ShapedContent["MIME"]): Json {
  if (mime === null) return null;
  return new Members([["Parts", mime.Parts === null ? null : mime.Parts.map(contentJson)]]);
}

/** Go compares strings by their UTF-8 bytes. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
