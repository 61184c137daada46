/** The text of a response without its long binary values, and these values by number. */
export interface CutBody {
  /** JSON, with `#` and a number in place of each value. `#` does not occur in base64. */
  readonly text: string;
  readonly values: readonly Uint8Array[];
}

/** Shorter values stay in the text: to cut one out costs as much as `JSON.parse` needs for this many characters. */
const longBase64 = 1024;

/** After this many short values in a row the rest is left as it is: there are probably no long ones. */
const maxShort = 16;

/** What every cut value follows. Begins with a letter: a search for a quote would stop at every name. */
const nameEnd = Buffer.from('B":"');

const quote = 34;
const backslash = 92;

/**
 * Cuts long base64 out of a response: `JSON.parse` would look at each character, while a search for the next quote and the decoder
 * take many at once. Returns undefined if there is none.
 *
 * In JSON an unescaped `"B":"` is always a member `B` with a string: inside of a string, its first quote would be the end of that
 * string. What is not plain base64, such as a value with escapes, stays in the text.
 */
export function cutLongBase64(body: Buffer): CutBody | undefined {
  if (body.length < longBase64) return undefined;
  const values: Uint8Array[] = [];
  let text = "";
  let copied = 0;
  let short = 0;
  for (let at = body.indexOf(nameEnd); at !== -1 && short < maxShort; ) {
    const start = at + nameEnd.length;
    let next = start;
    short++;
    if (isLong(body, start) && body[at - 1] === quote && body[at - 2] !== backslash) {
      const end = body.indexOf(quote, start);
      const value = end - start < longBase64 ? undefined : decodeExactly(body.toString("latin1", start, end));
      if (value !== undefined) {
        text += `${body.toString("utf8", copied, start)}#${values.length}`;
        values.push(value);
        copied = end;
        next = end;
        short = 0;
      }
    }
    at = body.indexOf(nameEnd, next);
  }
  return values.length === 0 ? undefined : { text: text + body.toString("utf8", copied), values };
}

/** Whether a value does not end at once, as checksums do: looking is cheaper than a search. */
function isLong(body: Buffer, start: number): boolean {
  for (let at = start; at < start + 16; at++) if (body[at] === quote) return false;
  return true;
}

/** Decodes base64 into separate memory. Returns undefined if anything in it is not base64: the decoder skips that. */
function decodeExactly(base64: string): Uint8Array | undefined {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(base64, "base64"));
  return bytes.write(base64, "base64") === bytes.length ? new Uint8Array(bytes.buffer) : undefined;
}
