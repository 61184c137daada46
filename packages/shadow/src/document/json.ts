import { ShadowError } from "../model/shadow-error.ts";
import { type DocumentValue, isList, isObject, type OpenObject, setKey } from "./document-value.ts";
import { ExactNumber, numberOf } from "./exact-number.ts";

/** A number that JSON.parse may round: 16 digits or more, or an exponent of three digits. */
const mayRound = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;
const maxDepth = 512;

/**
 * Parses JSON, and keeps every digit of its numbers. Throws `SHADOW_REQUEST_INVALID` for anything else.
 *
 * @example
 * parseJson('{"n":12345678901234567890}'); // { n: 12345678901234567890n }
 */
export function parseJson(text: string): DocumentValue {
  if (mayRound.test(text)) return new Reader(text).whole();
  try {
    return JSON.parse(text) as DocumentValue;
  } catch (error) {
    throw invalidJson(error);
  }
}

function invalidJson(cause?: unknown): ShadowError {
  return new ShadowError("SHADOW_REQUEST_INVALID", "Invalid JSON", { reason: "Invalid JSON" }, { cause });
}

const blanks = /[ \t\n\r]*/y;
const numbers = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const strings = /"(?:[^"\\]|\\.)*"/sy;
const words: readonly (readonly [string, DocumentValue])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/** A recursive descent parser, for documents whose numbers JSON.parse would round. */
class Reader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): DocumentValue {
    const value = this.#value(0);
    this.#match(blanks);
    if (this.#at !== this.#text.length) throw invalidJson();
    return value;
  }

  #value(depth: number): DocumentValue {
    if (depth > maxDepth) throw invalidJson();
    this.#match(blanks);
    const next = this.#text[this.#at];
    if (next === "{") return this.#object(depth);
    if (next === "[") return this.#list(depth);
    if (next === '"') return this.#string();
    for (const [word, value] of words) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    const number = this.#match(numbers);
    if (number === "") throw invalidJson();
    return numberOf(number);
  }

  #object(depth: number): DocumentValue {
    const object: OpenObject = {};
    this.#entries("}", () => {
      const key = this.#string();
      if (!this.#take(":")) throw invalidJson();
      setKey(object, key, this.#value(depth + 1));
    });
    return object;
  }

  #list(depth: number): DocumentValue {
    const list: DocumentValue[] = [];
    this.#entries("]", () => list.push(this.#value(depth + 1)));
    return list;
  }

  #entries(end: string, entry: () => void): void {
    this.#at++;
    if (this.#take(end)) return;
    do {
      this.#match(blanks);
      entry();
    } while (this.#take(","));
    if (!this.#take(end)) throw invalidJson();
  }

  #string(): string {
    const quoted = this.#match(strings);
    try {
      return JSON.parse(quoted) as string;
    } catch (error) {
      throw invalidJson(error);
    }
  }

  /** Skips blanks and this character, if it is next. */
  #take(character: string): boolean {
    this.#match(blanks);
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }
}

/**
 * Prints compact JSON. Numbers keep all their digits; bytes are base64, sets are lists, as Go's encoder writes them.
 *
 * @example
 * printJson({ n: 12345678901234567890n }); // '{"n":12345678901234567890}'
 */
export function printJson(value: DocumentValue): string {
  return isPlain(value) ? JSON.stringify(value) : printExact(value);
}

/** Whether `JSON.stringify`, which is faster, prints a value correctly. */
function isPlain(value: DocumentValue | undefined): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  if (isList(value)) return value.every(isPlain);
  if (!isObject(value)) return false;
  for (const key in value) if (!isPlain(value[key])) return false;
  return true;
}

function printExact(value: DocumentValue): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (value instanceof ExactNumber) return value.text;
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString("base64")}"`;
  if (isList(value)) return `[${value.map(printExact).join(",")}]`;
  if (value instanceof Set)
    return `[${[...(value as ReadonlySet<DocumentValue>)].map(printExact).join(",")}]`;
  return printObject(value);
}

function printObject(value: DocumentValue): string {
  if (!isObject(value)) throw new TypeError("not a value of a document");
  const parts: string[] = [];
  for (const [key, each] of Object.entries(value)) {
    if (each !== undefined) parts.push(`${JSON.stringify(key)}:${printExact(each)}`);
  }
  return `{${parts.join(",")}}`;
}
