/** The bytes that structure JSON. */
const quote = 34;
const comma = 44;
const colon = 58;
const bracket = 91;
const backslash = 92;
const closingBracket = 93;
const brace = 123;
const closingBrace = 125;

/** Thrown at anything that is left to `JSON.parse`. */
const notPlain = new Error("not plain JSON");

/** Up to this length, a loop finds the end of a string faster than a call into native code. */
const shortString = 24;

/** Decodes a member whose value is a string: base64 under `B`, for example. */
type DecodeMember = (name: string, value: unknown) => unknown;

/**
 * Reads JSON from bytes, for responses that consist mostly of long strings. `JSON.parse` needs all bytes as one string first and looks
 * at each character; this searches for the next quote, which takes many bytes at once, and copies each string once. Where strings are
 * short, `JSON.parse` is faster: see {@link hasLongStrings}.
 *
 * Returns undefined for JSON that it leaves to `JSON.parse`: with white space, with escapes in names, with a member `__proto__`, or
 * invalid.
 */
export function readByteJson(bytes: Buffer, decodeMember: DecodeMember): unknown {
  try {
    const reader = new ByteJson(bytes, decodeMember);
    const value = reader.value();
    return reader.isAtEnd ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Where to look: `windows` windows of `bytes` bytes, spread evenly; `quotes` in all of them are few. Shorter windows would all
 * begin where an item does if the items of a page are equally long, and find its names only.
 */
const sample = { windows: 4, bytes: 512, quotes: 200, shortestBody: 4096 };

/** Returns whether a response consists mostly of long strings, judging from a few places in it. */
export function hasLongStrings(body: Buffer): boolean {
  if (body.length < sample.shortestBody) return false;
  const stride = Math.floor(body.length / sample.windows);
  let quotes = 0;
  for (let start = 0; start < stride * sample.windows; start += stride)
    for (let at = start; at < start + sample.bytes; at++) if (body[at] === quote) quotes++;
  return quotes <= sample.quotes;
}

class ByteJson {
  readonly #bytes: Buffer;
  readonly #decodeMember: DecodeMember;
  /** The next byte to read. */
  #at = 0;
  /** A backslash, the first that is not before the current string. */
  #backslash = -1;

  constructor(bytes: Buffer, decodeMember: DecodeMember) {
    this.#bytes = bytes;
    this.#decodeMember = decodeMember;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(): unknown {
    const first = this.#bytes[this.#at];
    if (first === quote) return this.#string();
    if (first === brace) return this.#object();
    return first === bracket ? this.#array() : this.#scalar();
  }

  #object(): object {
    const object: Record<string, unknown> = {};
    if (this.#bytes[++this.#at] === closingBrace) {
      this.#at++;
      return object;
    }
    do {
      const name = this.#name();
      object[name] = this.#decodeMember(name, this.value());
    } while (this.#continues(closingBrace));
    return object;
  }

  #array(): unknown[] {
    const array: unknown[] = [];
    if (this.#bytes[++this.#at] === closingBracket) {
      this.#at++;
      return array;
    }
    do array.push(this.value());
    while (this.#continues(closingBracket));
    return array;
  }

  #continues(end: number): boolean {
    const byte = this.#bytes[this.#at++];
    if (byte === comma) return true;
    if (byte === end) return false;
    throw notPlain;
  }

  #string(): string {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    const end = this.#endOfString(start);
    if (this.#nextBackslash(start) < end) return this.#escapedString(start);
    this.#at = end + 1;
    // Without an encoding, Node checks less.
    return bytes.toString(undefined, start, end);
  }

  #endOfString(start: number): number {
    const bytes = this.#bytes;
    for (let at = start; at < start + shortString; at++) if (bytes[at] === quote) return at;
    const end = bytes.indexOf(quote, start + shortString);
    if (end === -1) throw notPlain;
    return end;
  }

  #nextBackslash(start: number): number {
    if (this.#backslash < start) {
      const found = this.#bytes.indexOf(backslash, start);
      this.#backslash = found === -1 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#backslash;
  }

  #escapedString(start: number): string {
    const bytes = this.#bytes;
    let end = start;
    for (let byte = bytes[end]; byte !== quote; byte = bytes[end]) {
      if (byte === undefined) throw notPlain;
      end += byte === backslash ? 2 : 1;
    }
    this.#at = end + 1;
    return JSON.parse(bytes.toString(undefined, start - 1, end + 1));
  }

  #name(): string {
    const bytes = this.#bytes;
    if (bytes[this.#at] !== quote) throw notPlain;
    const start = this.#at + 1;
    let end = start;
    let hash = 0;
    for (let byte = bytes[end]; byte !== quote; byte = bytes[++end]) {
      if (byte === undefined || byte === backslash) throw notPlain;
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
    for (let byte = bytes[end]; byte !== undefined; byte = bytes[++end])
      if (byte === comma || byte === closingBrace || byte === closingBracket) break;
    this.#at = end;
    return JSON.parse(bytes.toString(undefined, start, end));
  }
}

/** The names that were read last, by a hash of their bytes: a response repeats the same few names. */
const lastNames: string[] = Array.from({ length: 1024 }, () => "");
const maxKeptLength = 64;

function knownName(bytes: Buffer, start: number, end: number, hash: number): string {
  const place = (hash ^ (hash >>> 10)) & (lastNames.length - 1);
  const last = lastNames[place] as string;
  if (isAt(bytes, start, end, last)) return last;
  const name = bytes.toString(undefined, start, end);
  // Only names in ASCII: one byte per character.
  if (name.length === end - start && name.length <= maxKeptLength) lastNames[place] = name;
  return name;
}

function isAt(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) if (name.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
