import { setOwn } from "../values/wire-value.ts";
import { ItemAnswer } from "./item-answer.ts";

/** The result of an operation: plain data with {@link ItemAnswer}s and dates in it, in the shape of its output. */
export type Answer = { readonly [member: string]: unknown };

/**
 * Returns the answer in DynamoDB's JSON: dates as seconds, without absent members.
 *
 * @example
 * answerJson({ Count: 1, CreationDateTime: new Date(1_500) }); // {"Count":1,"CreationDateTime":1.5}
 */
export function answerJson(value: unknown): string {
  if (value instanceof ItemAnswer) return value.toJson();
  if (value instanceof Date) return String(value.getTime() / 1000);
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString("base64")}"`;
  if (Array.isArray(value)) return `[${value.map(answerJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  let text = "";
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined)
      text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${answerJson(member)}`;
  }
  return `{${text}}`;
}

const comma = 44;
const openBracket = 91;
const closeBracket = 93;

/** An answer with fewer characters of items is first built as one string, and then encoded. */
const longAnswer = 8192;

/** Returns memory of at least this many bytes, whatever it contains. */
type Allocate = (bytes: number) => Buffer;

/**
 * Returns the bytes of {@link answerJson}. Long answers are written item by item, into memory that `allocate` returns.
 *
 * @example
 * answerBytes({ Count: 1 }).toString(); // {"Count":1}
 */
export function answerBytes(answer: Answer, allocate: Allocate = Buffer.allocUnsafeSlow): Buffer {
  const lengths = { all: 0, longest: 0 };
  addLengths(answer, lengths);
  if (lengths.all < longAnswer) return Buffer.from(answerJson(answer));
  // Leaves space for what surrounds the items, and for the last item in its worst case.
  const writer = new ByteWriter(lengths.all + 2 * lengths.longest + longAnswer, allocate);
  writeJson(answer, writer);
  return writer.bytes;
}

/** Adds up the lengths of the items in an answer. */
function addLengths(value: unknown, lengths: { all: number; longest: number }): void {
  if (value instanceof ItemAnswer) {
    lengths.all += value.length + 1;
    lengths.longest = Math.max(lengths.longest, value.length);
  } else if (Array.isArray(value)) {
    for (const element of value) addLengths(element, lengths);
  } else if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) addLengths(member, lengths);
  }
}

function writeJson(value: unknown, writer: ByteWriter): void {
  if (Array.isArray(value)) {
    writer.ascii(openBracket);
    for (let at = 0; at < value.length; at++) {
      if (at > 0) writer.ascii(comma);
      writeJson(value[at], writer);
    }
    writer.ascii(closeBracket);
  } else if (isPlainObject(value)) {
    let before = "{";
    for (const name of Object.keys(value)) {
      if (value[name] === undefined) continue;
      writer.text(`${before}${JSON.stringify(name)}:`);
      writeJson(value[name], writer);
      before = ",";
    }
    writer.text(before === "{" ? "{}" : "}");
  } else writer.text(answerJson(value));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Returns the answer as an object that shares nothing with the engine. */
export function answerObject(value: unknown): unknown {
  if (value instanceof ItemAnswer) return value.toItem();
  if (value instanceof Date) return new Date(value);
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return value.map(answerObject);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) setOwn(copy, name, answerObject(member));
  }
  return copy;
}

/** Maximum bytes of UTF-8 for one unit of a string's length. */
const maxBytesPerUnit = 3;

/** Writes strings one after the other as UTF-8, without building one long string first. */
export class ByteWriter {
  readonly #allocate: Allocate;
  #bytes: Buffer;
  #at = 0;

  /** @param capacity bytes to allocate at first */
  constructor(capacity: number, allocate: Allocate = Buffer.allocUnsafeSlow) {
    this.#allocate = allocate;
    this.#bytes = allocate(capacity);
  }

  /** The bytes written so far. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  text(text: string): void {
    const needed = this.#at + text.length * maxBytesPerUnit;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#at += this.#bytes.write(text, this.#at);
  }

  /** Writes an ASCII character by its code: a call into native code would cost more. */
  ascii(code: number): void {
    if (this.#at === this.#bytes.length) this.#grow(this.#at + 1);
    this.#bytes[this.#at++] = code;
  }

  #grow(needed: number): void {
    const bytes = this.#allocate(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(bytes, 0, 0, this.#at);
    this.#bytes = bytes;
  }
}
