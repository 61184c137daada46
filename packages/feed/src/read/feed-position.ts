import { crc32 } from "node:zlib";
import { FeedError, positionOutdated } from "../feed-error.ts";
import { BytesReader, BytesWriter } from "../pages/page-bytes.ts";
import type { FeedRecord } from "../store/feed-record.ts";

/** The position of a reader in a slice. */
export interface PageCursor {
  /** The number of the next page. */
  readonly page: number;
  /** How many events of that page have been returned. */
  readonly skip: number;
  /** Identifies the put of the page of the last event before it. Undefined if unknown, or if there is none. */
  readonly by?: string;
}

/** A position, as it was passed. */
interface DecodedPosition {
  readonly cursors: PageCursor[];
  /** The result of {@link checkOf} for it. Undefined if it was unknown then. */
  readonly check?: number;
}

/** Returns the number of the page of the last event before a cursor; -1 if there is none. */
export function passedPage({ page, skip }: PageCursor): number {
  return skip === 0 ? page - 1 : page;
}

/**
 * Returns a checksum of the pages that were passed last, by the names of their puts: in a feed that was restored and filled again, other pages
 * have their numbers. Undefined if it is not known of all of them.
 */
export function checkOf(cursors: readonly PageCursor[]): number | undefined {
  let names = "";
  for (const [slice, cursor] of cursors.entries()) {
    if (passedPage(cursor) < 0) continue;
    if (cursor.by === undefined) return undefined;
    names += `${slice}.${cursor.by};`;
  }
  return names === "" ? undefined : crc32(names);
}

/**
 * Encodes where a reader is in all slices. Opaque to callers; valid for one generation of one feed. Only the slices that are read count: all
 * others are at their start.
 */
export function encodePosition(generation: number, cursors: readonly PageCursor[]): string {
  const bytes = new BytesWriter();
  bytes.number(cursors.length);
  for (const { page, skip } of cursors) {
    bytes.number(page);
    bytes.number(skip);
  }
  const check = checkOf(cursors);
  if (check !== undefined) bytes.number(check);
  return `${generation}.${Buffer.from(bytes.take()).toString("base64url")}`;
}

/** Decodes a position. Throws `FEED_POSITION_INVALID`, or `FEED_POSITION_OUTDATED` for one of another generation. */
export function decodePosition(position: string, record: FeedRecord): DecodedPosition {
  const [, generation, encoded] = /^(\d{1,10})\.([\w-]+)$/.exec(position) ?? [];
  if (generation === undefined || encoded === undefined)
    throw positionInvalid(
      position,
      "it is not a position of a feed: pass start, end, a time, or the position of an event",
    );
  if (Number(generation) !== record.generation) throw positionOutdated(Number(generation), record.generation);
  const decoded = decoding(encoded);
  if (decoded?.cursors.length !== record.slices)
    throw positionInvalid(position, `it is damaged, or from a feed without ${record.slices} slices`);
  return decoded;
}

function decoding(encoded: string): DecodedPosition | undefined {
  try {
    const bytes = new BytesReader(Buffer.from(encoded, "base64url"));
    const count = bytes.number();
    if (count > 1024) return undefined;
    const cursors = Array.from({ length: count }, () => ({ page: bytes.number(), skip: bytes.number() }));
    const isExact = ({ page, skip }: PageCursor) => Number.isSafeInteger(page) && Number.isSafeInteger(skip);
    const check = bytes.isAtEnd ? undefined : bytes.number();
    if (!bytes.isAtEnd || !cursors.every(isExact)) return undefined;
    return { cursors, ...(check !== undefined && { check }) };
  } catch {
    return undefined;
  }
}

/** Returns the error for a position that cannot be used. `reason` continues "it". */
export function positionInvalid(position: string, reason: string): FeedError<"FEED_POSITION_INVALID"> {
  const shown = position.slice(0, 100);
  return new FeedError("FEED_POSITION_INVALID", `position ${JSON.stringify(shown)} is invalid: ${reason}`, {
    position: shown,
    reason,
  });
}
