import { pacer } from "../model/background-work.ts";
import { asPlainText, contentType, isMessageType } from "./content-type.ts";
import { type Fields, fieldOf, headerFields, maxHeaderBytes, type ParameterValue } from "./header-fields.ts";

/** A part of a message by its place in the bytes. */
export interface MessagePart {
  /** Where its header starts, where its body starts, and where it ends. */
  readonly start: number;
  readonly bodyAt: number;
  readonly end: number;
  readonly fields: Fields;
  readonly type: ParameterValue;
  /** The lines of the body, if it is text or a message; otherwise 0. */
  readonly lines: number;
  /** The parts of a multipart. */
  readonly parts: readonly MessagePart[];
  /** The message in a part of the type message/rfc822 or message/global. */
  readonly message: MessagePart | undefined;
}

/** Deeper parts are not taken apart, and neither are further ones. */
const limits = { depth: 20, parts: 1_000 };

/** Lines of one part that begin like a boundary; further ones are text. */
const maxLookalikes = 10_000;

/** Characters after a boundary that belong to its line. */
const lineLength = 1_000;

/** Characters that are searched at once. */
const searchedAtOnce = 262_144;

/** Something that is found costs as much as searching this many characters. */
const foundCost = 64;

/** Reads only the header of a message, given as a byte text of its start. `size` is the size of the whole message. */
export function readTopPart(head: string, size: number): MessagePart {
  return { ...readHeader(head, { from: 0, to: head.length }, ""), end: size, ...noContent };
}

/** Takes a message apart, given as a byte text. Lets the event loop run in between, because a large message takes long. */
export function readMessageParts(data: string): Promise<MessagePart> {
  return new PartReader(data).read({ from: 0, to: data.length }, 0, "");
}

const noContent = { lines: 0, parts: [], message: undefined };

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The header of a part. What is longer than a header may be is body. */
function readHeader(data: string, { from: start, to: end }: Range, container: string) {
  const fields = headerFields(data.slice(start, Math.min(end, start + maxHeaderBytes)));
  const type = contentType(fields, container);
  return { start, bodyAt: start + fields.bodyAt, fields, type };
}

class PartReader {
  readonly #data: string;
  readonly #pace = pacer();
  #count = 0;

  constructor(data: string) {
    this.#data = data;
  }

  async read(range: Range, depth: number, container: string): Promise<MessagePart> {
    this.#count++;
    const head = readHeader(this.#data, range, container);
    const { bodyAt, fields } = head;
    let { type } = head;
    await this.#pace(bodyAt - range.from + foundCost);
    const body = { from: bodyAt, to: range.to };
    const opens = depth < limits.depth && this.#count < limits.parts;
    const boundary = type.parameters.get("boundary") ?? "";
    const parts: MessagePart[] = [];
    if (opens && type.value.startsWith("multipart/") && boundary !== "")
      for await (const part of this.#between(body, boundary)) {
        if (this.#count >= limits.parts) break;
        parts.push(await this.read(part, depth + 1, type.value));
      }
    if (opens && type.value.startsWith("multipart/") && parts.length === 0) type = asPlainText(type);
    const isMessage = opens && isMessageType(type.value) && !isEncoded(fields);
    const message = isMessage ? await this.read(body, depth + 1, "") : undefined;
    const lines = message !== undefined || type.value.startsWith("text/") ? await this.#lines(body) : 0;
    return { ...head, type, end: range.to, lines, parts, message };
  }

  /** The ranges between the lines `--boundary`, up to `--boundary--`, an unterminated last part included. */
  async *#between({ from, to }: Range, boundary: string): AsyncGenerator<Range, void, undefined> {
    const data = this.#data;
    const line = `--${boundary}`;
    let start: number | undefined;
    let lookalikes = 0;
    let at = await this.#lineStart(line, from, to);
    for (; at >= 0 && lookalikes < maxLookalikes; at = await this.#lineStart(line, at + line.length, to)) {
      const after = at + line.length;
      const closes = data.startsWith("--", after);
      const [rest = ""] = data.slice(after, Math.min(to, after + lineLength)).split("\n", 1);
      if (!closes && rest.trim() !== "") {
        lookalikes++;
        continue;
      }
      const lineEnd = await this.#find("\n", after, to);
      if (start !== undefined)
        yield { from: start, to: Math.max(start, data[at - 2] === "\r" ? at - 2 : at - 1) };
      if (closes || lineEnd < 0) return;
      start = lineEnd + 1;
    }
    if (start !== undefined) yield { from: start, to };
  }

  /** The offset of the next line that begins with a string; -1 if there is none. */
  async #lineStart(text: string, from: number, to: number): Promise<number> {
    const found = await this.#find(`\n${text}`, Math.max(0, from - 1), to);
    return found < 0 ? found : found + 1;
  }

  /** The offset of a string within a range; -1 if it does not occur there. */
  async #find(text: string, from: number, to: number): Promise<number> {
    for (let at = from; at < to; at += searchedAtOnce) {
      const piece = this.#data.slice(at, Math.min(to, at + searchedAtOnce + text.length - 1));
      const found = piece.indexOf(text);
      const turn = this.#pace(foundCost + (found < 0 ? piece.length : found));
      if (turn !== undefined) await turn;
      if (found >= 0) return at + found;
    }
    return -1;
  }

  async #lines({ from, to }: Range): Promise<number> {
    let count = 0;
    for (let at = from; at < to; at += searchedAtOnce) {
      const end = Math.min(to, at + searchedAtOnce);
      for (let each = at; each < end; each++) if (this.#data.charCodeAt(each) === lineFeed) count++;
      await this.#pace(end - at);
    }
    return count;
  }
}

const lineFeed = 10;

function isEncoded(fields: Fields): boolean {
  return /base64|quoted-printable/i.test(fieldOf(fields, "content-transfer-encoding"));
}

/** The part with these numbers, as in `BODY[1.2]`; undefined if there is none. */
export function partAt(root: MessagePart, numbers: readonly number[]): MessagePart | undefined {
  let part: MessagePart | undefined = root;
  for (const [depth, number] of numbers.entries()) {
    const inside: MessagePart = part.message !== undefined && depth > 0 ? part.message : part;
    if (inside.type.value.startsWith("multipart/") && inside.parts.length > 0)
      part = inside.parts[number - 1];
    else part = number === 1 && (depth === 0 || inside !== part) ? inside : undefined;
    if (part === undefined) return undefined;
  }
  return part;
}
