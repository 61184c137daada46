import { MalformedBytes } from "./byte-reader.ts";
import { maxJsonDepth } from "./json-dialect.ts";
import { setMember } from "./set-member.ts";

/** JSON as it is, or `MalformedBytes`. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedBytes("is no JSON", { cause: error });
  }
}

/** Longer runs of digits may be whole numbers that JavaScript would round. */
const manyDigits = /\d{16}/;

/**
 * JSON of a writer that has 64-bit and larger whole numbers: those beyond ±(2^53 − 1) become bigint instead of being
 * rounded. Numbers with a fraction or an exponent are doubles.
 */
export function readJsonWithBigIntegers(text: string): unknown {
  const value = readJson(text);
  return manyDigits.test(text) ? new JsonScanner(text).value(0) : value;
}

const whitespace = /[ \t\n\r]*/y;
const word = /[-+.\w]*/y;

/** Reads text that is known to be JSON once more, number by number. */
class JsonScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    if (depth > maxJsonDepth) throw new MalformedBytes(`is nested deeper than ${maxJsonDepth} levels`);
    const token = this.#token();
    if (token === "[") return this.#list(depth);
    if (token === "{") return this.#object(depth);
    return /^-?\d+$/.test(token) ? wholeNumber(token) : JSON.parse(token);
  }

  #list(depth: number): unknown[] {
    const list: unknown[] = [];
    if (this.#skipped("]")) return list;
    do list.push(this.value(depth + 1));
    while (this.#token() === ",");
    return list;
  }

  #object(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    if (this.#skipped("}")) return object;
    do {
      const name = JSON.parse(this.#token()) as string;
      this.#token();
      setMember(object, name, this.value(depth + 1));
    } while (this.#token() === ",");
    return object;
  }

  #skipped(close: string): boolean {
    const before = this.#at;
    if (this.#token() === close) return true;
    this.#at = before;
    return false;
  }

  /** A bracket, comma or colon, or the text of a scalar. */
  #token(): string {
    const start = endOf(whitespace, this.#text, this.#at);
    const end = this.#text[start] === '"' ? this.#endOfString(start) : endOf(word, this.#text, start);
    this.#at = Math.max(end, start + 1);
    return this.#text.slice(start, this.#at);
  }

  #endOfString(start: number): number {
    let at = start + 1;
    while (this.#text[at] !== '"') at += this.#text[at] === "\\" ? 2 : 1;
    return at + 1;
  }
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  pattern.test(text);
  return pattern.lastIndex;
}

function wholeNumber(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
