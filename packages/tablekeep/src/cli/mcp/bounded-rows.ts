/** Rows that belong together in a source: it can continue after them, and not between them. */
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

/** The part of a row that is shown if the row alone is too large for a result. */
const shownCharacters = 500;

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

function shortened(row: object, maxBytes: number): object {
  const json = JSON.stringify(row);
  const bytes = Buffer.byteLength(json);
  return bytes < maxBytes ? row : { tooLarge: bytes, beginning: textPart(json, 0, shownCharacters * 6).text };
}

/** A part of a long string. */
export interface TextPart {
  readonly text: string;
  /** The offset of the rest; undefined at the end. */
  readonly nextOffset?: number;
}

/** Cuts at most `maxBytes` bytes of JSON from a string, from the character `offset`, never within a character. */
export function textPart(text: string, offset: number, maxBytes: number): TextPart {
  // A UTF-16 unit has at most 6 bytes in JSON.
  let end = Math.min(text.length, offset + Math.max(1, Math.floor(maxBytes / 6)));
  if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end++;
  return { text: text.slice(offset, end), ...(end < text.length && { nextOffset: end }) };
}
