import { decodeUtf8, MalformedBytes } from "./bytes.ts";
import type { Codec } from "./codec.ts";
import { payloadRefused } from "./payload-errors.ts";
import { ownSerializers } from "./serializer-ids.ts";

/** The differences in JSON between serializers: what is accepted beyond null, booleans, numbers, strings, lists and plain objects. */
export interface JsonDialect {
  readonly serializerId: number;
  /** Whether a property whose value is undefined is omitted; rejected otherwise. */
  readonly omitUndefined: boolean;
  /** Whether bigint is accepted, as a number of that many digits. */
  readonly bigIntegers: boolean;
}

/** Deeper data, and data that refers to itself, is rejected. */
const maxJsonDepth = 500;

/** Sets a property by a name that came from outside: `__proto__` is a name like any other. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Rejects what JSON would drop or change silently: undefined, NaN, dates, bigints, bytes, maps, sets, instances of
 * classes, symbols, functions, holes, cycles. Returns whether `JSON.stringify` writes the rest exactly, which it does not for
 * -0, bigints, and numbers that a reader of big integers would mistake for those.
 */
function checkJson(payload: unknown, dialect: JsonDialect): boolean {
  return new JsonCheck(dialect).value(payload);
}

class JsonCheck {
  readonly #dialect: JsonDialect;
  /** The path of the current value. */
  readonly #steps: (string | number)[] = [];

  constructor(dialect: JsonDialect) {
    this.#dialect = dialect;
  }

  value(value: unknown): boolean {
    if (value === null || typeof value === "string" || typeof value === "boolean") return true;
    if (typeof value === "number") return this.#number(value);
    if (typeof value === "object") return Array.isArray(value) ? this.#list(value) : this.#object(value);
    if (typeof value === "undefined") throw this.#refused("is undefined, which JSON does not have");
    if (typeof value === "bigint" && this.#dialect.bigIntegers) return false;
    throw this.#refused(`is a ${typeof value}, which JSON does not have (convert it first)`);
  }

  #number(value: number): boolean {
    if (!Number.isFinite(value)) throw this.#refused(`is ${value}, which JSON does not have`);
    if (Object.is(value, -0)) return false;
    return !this.#dialect.bigIntegers || !Number.isInteger(value) || Number.isSafeInteger(value);
  }

  #list(list: readonly unknown[]): boolean {
    let exact = true;
    for (let at = 0; at < list.length; at++) exact = this.#member(at, list[at]) && exact;
    return exact;
  }

  #object(object: object): boolean {
    if (!isPlain(object))
      throw this.#refused(`is a ${object.constructor?.name ?? "object"}, not plain data (convert it first)`);
    if (Object.getOwnPropertySymbols(object).length > 0)
      throw this.#refused("has a symbol as a property, which JSON does not have");
    let exact = true;
    for (const name of Object.keys(object)) {
      const member = (object as Record<string, unknown>)[name];
      if (member === undefined && this.#dialect.omitUndefined) continue;
      exact = this.#member(name, member) && exact;
    }
    return exact;
  }

  #member(step: string | number, value: unknown): boolean {
    this.#steps.push(step);
    if (this.#steps.length > maxJsonDepth)
      throw this.#refused(`is nested deeper than ${maxJsonDepth} levels, or contains itself`);
    const exact = this.value(value);
    this.#steps.pop();
    return exact;
  }

  #refused(reason: string): Error {
    // The end of a circular path adds no information.
    const path = this.#steps.slice(0, 20).map(stepText).join("");
    return payloadRefused(this.#dialect.serializerId, `payload${path}`, reason);
  }
}

/** Plain objects have no prototype, or one that has none: that of this realm, or of another. */
function isPlain(value: object): boolean {
  if ("toJSON" in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
}

function stepText(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

/** Parses JSON, or throws `MalformedBytes`. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedBytes("is not JSON", { cause: error });
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

/** A payload as JSON text, exactly: parsed again it is the same, or it was rejected. */
export function writeJson(payload: unknown, dialect: JsonDialect): string {
  return checkJson(payload, dialect) ? JSON.stringify(payload) : exactText(payload, dialect);
}

function exactText(value: unknown, dialect: JsonDialect): string {
  if (typeof value === "number") return numberText(value, dialect);
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map((element) => exactText(element, dialect)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${exactText(member, dialect)}`);
  return `{${members.join(",")}}`;
}

/** An integer that a reader would mistake for a big integer is written with a fraction: it is a double. */
function numberText(value: number, { bigIntegers }: JsonDialect): string {
  if (Object.is(value, -0)) return bigIntegers ? "-0.0" : "-0";
  if (!bigIntegers || !Number.isInteger(value) || Number.isSafeInteger(value)) return String(value);
  return value.toExponential().replace(/^(-?\d)e/, "$1.0e");
}

/** Plain data as JSON text, with any manifest: the default for payloads without another serializer. */
export function plainJson(omitUndefined: boolean): Codec {
  const dialect: JsonDialect = { serializerId: ownSerializers.json, omitUndefined, bigIntegers: false };
  return {
    id: ownSerializers.json,
    encode: (payload) => Buffer.from(writeJson(payload, dialect)),
    decode: (bytes) => readJson(decodeUtf8(bytes)),
  };
}
