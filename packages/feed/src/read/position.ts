import { FeedError, positionOutdated } from "../feed-error.ts";
import { BytesReader, BytesWriter } from "../pages/page-bytes.ts";
import type { FeedRecord } from "../store/feed-record.ts";

/** Where a reader is in a slice. */
export interface PageCursor {
  /** The number of the page that is next. */
  readonly page: number;
  /** How many events of that page have been returned. */
  readonly skip: number;
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
  return `${generation}.${Buffer.from(bytes.take()).toString("base64url")}`;
}

/** Decodes a position. Throws `FEED_POSITION_INVALID`, or `FEED_POSITION_OUTDATED` for one of another generation. */
export function decodePosition(position: string, record: FeedRecord): PageCursor[] {
  const [, generation, encoded] = /^(\d{1,10})\.([\w-]+)$/.exec(position) ?? [];
  if (generation === undefined || encoded === undefined)
    throw positionInvalid(position, "it is not a position of a feed");
  if (Number(generation) !== record.generation) throw positionOutdated(Number(generation), record.generation);
  const cursors = cursorsOf(encoded);
  if (cursors?.length !== record.slices)
    throw positionInvalid(position, `it is damaged, or from a feed without ${record.slices} slices`);
  return cursors;
}

function cursorsOf(encoded: string): PageCursor[] | undefined {
  try {
    const bytes = new BytesReader(Buffer.from(encoded, "base64url"));
    const count = bytes.number();
    if (count > 1024) return undefined;
    const cursors = Array.from({ length: count }, () => ({ page: bytes.number(), skip: bytes.number() }));
    const isExact = ({ page, skip }: PageCursor) => Number.isSafeInteger(page) && Number.isSafeInteger(skip);
    return bytes.isAtEnd && cursors.every(isExact) ? cursors : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the error of a position that cannot be used. `reason` continues "it". */
export function positionInvalid(position: string, reason: string): FeedError<"FEED_POSITION_INVALID"> {
  const shown = position.slice(0, 100);
  return new FeedError("FEED_POSITION_INVALID", `position ${JSON.stringify(shown)} is invalid: ${reason}`, {
    position: shown,
    reason,
  });
}
