/** Text or bytes in pieces, such as a readable stream. */
export type TextChunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** A line without its line break, decoded from UTF-8. */
export interface CutLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Bytes of all lines up to this one, line breaks included. */
  readonly bytesSoFar: number;
}

/** The errors of a package for chunks that cannot be cut into lines. */
export interface CutLineErrors {
  /** `reason` continues after the name of the chunks: "must be …". */
  invalid(reason: string): Error;
  /** The error for a line that is longer than any that the package writes. */
  tooLong(number: number): Error;
}

/** Lines with an item of DynamoDB are shorter: an item has at most 400 KB. */
const maxLineBytes = 16 * 1024 * 1024;
const lineFeed = 10;

/**
 * Throws unless the chunks can be iterated.
 *
 * @example
 * checkChunks(chunks, (reason) => new TypeError(`option input ${reason}`));
 */
export function checkChunks(chunks: unknown, invalid: CutLineErrors["invalid"]): void {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = Object(chunks) as Partial<
    AsyncIterable<unknown> & Iterable<unknown>
  >;
  if (typeof later !== "function" && typeof now !== "function")
    throw invalid("must be an iterable of strings or bytes, such as a readable stream");
}

/**
 * Cuts text or bytes into lines. Empty lines are left out, and so is a last line without its line break: it was interrupted.
 *
 * @example
 * for await (const { text, number } of cutLines(createReadStream("events.jsonl"), errors)) console.log(number, JSON.parse(text));
 */
export async function* cutLines(
  chunks: TextChunks,
  errors: CutLineErrors,
): AsyncGenerator<CutLine, void, undefined> {
  checkChunks(chunks, errors.invalid);
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  let number = 0;
  let bytesSoFar = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    if (!(bytes instanceof Uint8Array))
      throw errors.invalid("must contain only strings and Uint8Array objects");
    let from = 0;
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, from)) {
      const line = Buffer.concat([...rest, bytes.subarray(from, at)]);
      rest = [];
      restBytes = 0;
      from = at + 1;
      number++;
      bytesSoFar += line.length + 1;
      if (line.length > 0) yield { text: line.toString("utf8"), number, bytesSoFar };
    }
    // A copy: the source of the chunks may reuse their memory.
    if (from < bytes.length) rest.push(Buffer.from(bytes.subarray(from)));
    restBytes += bytes.length - from;
    if (restBytes > maxLineBytes) throw errors.tooLong(number + 1);
  }
}
