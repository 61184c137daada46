import { memberValue } from "./member-value.ts";

/** The bytes that tell how JSON goes on. */
const quote = 34;
const comma = 44;
const colon = 58;
const bracket = 91;
const endOfList = 93;
const brace = 123;
const endOfObject = 125;

/** Thrown where bytes are not the plain JSON that is read here. */
const notPlain = new Error("this is not plain JSON");

/** A text that ends before this is found faster by a loop than by a call into native code. */
const shortText = 24;

/**
 * What an answer of DynamoDB in these bytes holds, or undefined where that is left to `JSON.parse`: where there are
 * escapes, spaces, or a member called `__proto__`.
 *
 * `JSON.parse` needs all bytes as a text first, and looks at each character of it. This jumps from quote to quote, and
 * makes only those texts that are kept.
 */
export function readByteJson(bytes: Buffer): unknown {
  if (bytes.includes("\\")) return undefined;
  try {
    const reader = new ByteJson(bytes);
    const value = reader.value();
    return reader.isAtEnd ? value : undefined;
  } catch {
    return undefined;
  }
}

class ByteJson {
  readonly #bytes: Buffer;
  /** Of the next byte to read. */
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(): unknown {
    const first = this.#bytes[this.#at];
    if (first === quote) return this.#text();
    if (first === brace) return this.#object();
    return first === bracket ? this.#list() : this.#scalar();
  }

  #object(): object {
    const object: Record<string, unknown> = {};
    if (this.#bytes[++this.#at] === endOfObject) {
      this.#at++;
      return object;
    }
    do {
      const name = this.#name();
      object[name] = memberValue(name, this.value());
    } while (this.#goesOn(endOfObject));
    return object;
  }

  #list(): unknown[] {
    const list: unknown[] = [];
    if (this.#bytes[++this.#at] === endOfList) {
      this.#at++;
      return list;
    }
    do list.push(this.value());
    while (this.#goesOn(endOfList));
    return list;
  }

  #goesOn(end: number): boolean {
    const byte = this.#bytes[this.#at++];
    if (byte === comma) return true;
    if (byte === end) return false;
    throw notPlain;
  }

  #text(): string {
    const start = this.#at + 1;
    const end = this.#closingQuote(start);
    this.#at = end + 1;
    // Without an encoding Node asks less before it makes the text.
    return this.#bytes.toString(undefined, start, end);
  }

  #closingQuote(start: number): number {
    const bytes = this.#bytes;
    let at = start;
    while (at < start + shortText) if (bytes[at++] === quote) return at - 1;
    const found = bytes.indexOf(quote, at);
    if (found === -1) throw notPlain;
    return found;
  }

  #name(): string {
    const bytes = this.#bytes;
    if (bytes[this.#at] !== quote) throw notPlain;
    const start = this.#at + 1;
    let end = start;
    let hash = 0;
    for (let byte = bytes[end]; byte !== quote; byte = bytes[++end]) {
      if (byte === undefined) throw notPlain;
      hash = (hash * 31 + byte) | 0;
    }
    if (bytes[end + 1] !== colon) throw notPlain;
    this.#at = end + 2;
    const name = knownName(bytes, start, end, hash);
    if (name === "__proto__") throw notPlain;
    return name;
  }

  /** A number, `true`, `false` or `null`. */
  #scalar(): unknown {
    const bytes = this.#bytes;
    const start = this.#at;
    let end = start;
    for (let byte = bytes[end]; byte !== undefined; byte = bytes[++end]) {
      if (byte === comma || byte === endOfObject || byte === endOfList) break;
    }
    this.#at = end;
    return JSON.parse(bytes.toString(undefined, start, end));
  }
}

/** The last names that were read, by a hash of their bytes: an answer tells the same few of them again and again. */
const lastNames: string[] = Array.from({ length: 1024 }, () => "");
const longestKept = 64;

function knownName(bytes: Buffer, start: number, end: number, hash: number): string {
  const place = (hash ^ (hash >>> 10)) & (lastNames.length - 1);
  const last = lastNames[place] as string;
  if (isWrittenAt(bytes, start, end, last)) return last;
  const name = bytes.toString(undefined, start, end);
  // Of these alone each character is one byte.
  if (name.length === end - start && name.length <= longestKept) lastNames[place] = name;
  return name;
}

function isWrittenAt(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) if (name.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
