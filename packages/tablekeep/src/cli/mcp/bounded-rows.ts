/** Rows that belong together in a source, which can continue after them but not between them. */
export interface Chunk {
  readonly rows: readonly object[];
  /** Where to continue after these rows; undefined at the end. */
  readonly next?: string;
}

/** Limits of a result. */
export interface RowLimits {
  readonly limit: number;
  /** Bytes of JSON. */
  readonly maxBytes: number;
}

/** Bytes of JSON that are shown of a row that is too large for a result. */
const shownBytes = 1000;

/**
 * Collects rows until there are `limit` of them or the next would exceed `maxBytes` of JSON. A row that is too large for any result is
 * replaced by its beginning and its size, so a caller always gets past it.
 */
export async function boundedRows(source: AsyncIterable<Chunk>, limits: RowLimits): Promise<Chunk> {
  const { limit, maxBytes } = limits;
  const rows: object[] = [];
  let left = maxBytes;
  let next: string | undefined;
  for await (const chunk of source) {
    const share = Math.floor(maxBytes / Math.max(1, chunk.rows.length));
    const isFirst = rows.length === 0;
    // A later chunk gets a whole result; the first has to fit into this one.
    const shown = isFirst ? chunk.rows.map((row) => shortened(row, share)) : chunk.rows;
    const bytes = shown.reduce((sum, row) => sum + bytesOf(row), 0);
    if (!isFirst && bytes > left) return ended(rows, next);
    rows.push(...shown);
    left -= bytes;
    next = chunk.next;
    if (rows.length >= limit) return ended(rows, next);
  }
  return ended(rows, next);
}

function ended(rows: readonly object[], next: string | undefined): Chunk {
  return { rows, ...(next !== undefined && { next }) };
}

function bytesOf(row: object): number {
  return Buffer.byteLength(JSON.stringify(row)) + 1;
}

/** Returns a row, or its beginning and its size if it has `maxBytes` of JSON or more. */
export function shortened(row: object, maxBytes: number): object {
  const json = JSON.stringify(row);
  const bytes = Buffer.byteLength(json);
  if (bytes < maxBytes) return row;
  return { tooLarge: bytes, beginning: textPart(json, 0, Math.min(shownBytes, maxBytes)).text };
}

/** A part of a long string. */
export interface TextPart {
  readonly text: string;
  /** The offset of the rest; undefined at the end. */
  readonly nextOffset?: number;
}

/** Cuts at most `maxBytes` bytes of JSON from a string, from the character `offset`, never within a character. */
export function textPart(text: string, offset: number, maxBytes: number): TextPart {
  let length = Math.min(text.length - offset, maxBytes);
  // Each step cuts by the average size of a character, so a few are enough.
  for (let bytes = jsonBytes(); bytes > maxBytes && length > 1; bytes = jsonBytes())
    length = Math.max(1, Math.min(length - 1, Math.floor((length * maxBytes) / bytes)));
  let end = offset + Math.max(0, length);
  if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end++;
  return { text: text.slice(offset, end), ...(end < text.length && { nextOffset: end }) };

  function jsonBytes(): number {
    return Buffer.byteLength(JSON.stringify(text.slice(offset, offset + length))) - 2;
  }
}

/** Returns the strings that fit into `maxBytes` of JSON together, without those that are too long. */
export function boundedStrings(strings: readonly string[], maxBytes: number): readonly string[] {
  let left = maxBytes;
  return strings.filter((each) => {
    const bytes = Buffer.byteLength(JSON.stringify(each)) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}
