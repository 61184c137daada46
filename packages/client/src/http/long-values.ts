import { isAscii } from "node:buffer";

/** A value that was cut out of a response. */
export type LongValue = Uint8Array | string;

/** The text of a response without its long values, and these values by number. */
export interface CutBody {
  /** JSON, with {@link placeMark} and a number in place of each value. */
  readonly text: string;
  readonly values: readonly LongValue[];
}

/** Begins every place of a long value: the character DEL, which is not in base64, and at the beginning of hardly any string. */
export const placeMark = "\u007F";

/** Shorter values stay in the text: to cut one out costs as much as `JSON.parse` needs for this many characters. */
const shortest = { B: 1024, S: 2048 } as const;

/** After this many short values in a row the rest is left as it is: there are probably no long ones. */
const maxShort = 16;

const quote = 34;
const backslash = 92;

/**
 * Cuts long strings and long base64 out of a response. Otherwise each of their characters would be copied twice, into the text of the
 * response and out of it, and `JSON.parse` would look at each, while a search for the next quote takes many at once. Returns
 * undefined if there are none.
 *
 * In JSON an unescaped `"B":"` or `"S":"` is always a member of that name with a string: inside of a string, its first quote would be
 * the end of that string. A value with escapes stays in the text, and what is under `B` and is not base64.
 */
export function cutLongValues(body: Buffer): CutBody | undefined {
  if (body.length < shortest.B) return undefined;
  const encoding = isAscii(body) ? "latin1" : "utf8";
  const values: LongValue[] = [];
  const found = [new LongMembers(body, "B"), new LongMembers(body, "S")] as const;
  let text = "";
  let copied = 0;
  for (;;) {
    const next = found[0].start < found[1].start ? found[0] : found[1];
    const { start, end } = next;
    if (start === Number.POSITIVE_INFINITY) break;
    const value =
      next.name === "S"
        ? body.toString(encoding, start, end)
        : decodeExactly(body.toString("latin1", start, end));
    if (value !== undefined) {
      text += `${body.toString(encoding, copied, start)}${placeMark}${values.length}`;
      values.push(value);
      copied = end;
    }
    next.advance();
  }
  return values.length === 0 ? undefined : { text: text + body.toString(encoding, copied), values };
}

/** Finds the long members of one name, one after the other. */
class LongMembers {
  readonly name: keyof typeof shortest;
  /** Where the value begins and ends; infinite behind the last one. */
  start = 0;
  end = 0;
  readonly #body: Buffer;
  /** What every value follows. Begins with a letter: a search for a quote would stop at every name. */
  readonly #nameEnd: Buffer;
  /** The first backslash that is not before `start`. */
  #backslash = -1;

  constructor(body: Buffer, name: keyof typeof shortest) {
    this.name = name;
    this.#body = body;
    this.#nameEnd = Buffer.from(`${name}":"`);
    this.advance();
  }

  advance(): void {
    const body = this.#body;
    let at = body.indexOf(this.#nameEnd, this.end);
    for (let short = 0; at !== -1 && short < maxShort; short++) {
      this.start = at + this.#nameEnd.length;
      if (this.#isLong(at)) return;
      at = body.indexOf(this.#nameEnd, this.start);
    }
    this.start = this.end = Number.POSITIVE_INFINITY;
  }

  /** Whether the value behind a name is long and has no escapes. Sets its end. */
  #isLong(at: number): boolean {
    const [body, start] = [this.#body, this.start];
    if (body[at - 1] !== quote || body[at - 2] === backslash) return false;
    // Most values end at once: looking is cheaper than a search.
    for (let near = start; near < start + 16; near++)
      if (body[near] === quote || body[near] === backslash) return false;
    this.end = body.indexOf(quote, start);
    if (this.end - start < shortest[this.name]) return false;
    if (this.#backslash < start) this.#backslash = indexOrEnd(body.indexOf(backslash, start));
    return this.#backslash > this.end;
  }
}

function indexOrEnd(index: number): number {
  return index === -1 ? Number.POSITIVE_INFINITY : index;
}

/** Decodes base64 into separate memory. Returns undefined if anything in it is not base64: the decoder skips that. */
function decodeExactly(base64: string): Uint8Array | undefined {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(base64, "base64"));
  return bytes.write(base64, "base64") === bytes.length ? new Uint8Array(bytes.buffer) : undefined;
}
