import { invalid, refusal } from "../item/refuse.ts";

/** A place in a stream: where the next read begins. */
export interface ShardPosition {
  readonly streamArn: string;
  /** The number of the next record; 0 for the oldest that is there. */
  readonly next: number;
  /** In milliseconds. */
  readonly issuedAt: number;
}

/** AWS: API_streams_GetShardIterator — in milliseconds. */
const lifetimeMs = 15 * 60 * 1000;

/** An iterator says all by itself where it stands: nothing has to be remembered for it, and it survives a restart. */
export function shardIterator({ streamArn, next, issuedAt }: ShardPosition): string {
  const place = Buffer.from(JSON.stringify([next, issuedAt])).toString("base64url");
  return `${streamArn}|1|${place}`;
}

/** Understands an iterator, and refuses one that was made up or is too old. */
export function positionOfIterator(iterator: string, now: number): ShardPosition {
  const position = parse(iterator);
  if (position === undefined) throw invalid("Invalid ShardIterator");
  if (now - position.issuedAt > lifetimeMs) {
    throw refusal("ExpiredIteratorException", "The shard iterator has expired");
  }
  return position;
}

function parse(iterator: string): ShardPosition | undefined {
  const [streamArn, version, place, ...more] = iterator.split("|");
  if (streamArn === undefined || version !== "1" || place === undefined || more.length > 0) return undefined;
  try {
    const [next, issuedAt] = JSON.parse(Buffer.from(place, "base64url").toString()) as unknown[];
    if (!isCount(next) || typeof issuedAt !== "number") return undefined;
    return { streamArn, next, issuedAt };
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
