import {
  type ExpectedStreamVersion,
  ExpectedVersionConflictError,
  NO_CONCURRENCY_CHECK,
  STREAM_DOES_NOT_EXIST,
  STREAM_EXISTS,
} from "@event-driven-io/emmett";
import type { AppendByIdOptions, Journal } from "@tablekeep/journal";
import { optionInvalid } from "./emmett-store-error.ts";

/** Returns the expected version, or that none is. A number would equal no version, and all appends would be conflicts. */
export function checkExpectedVersion(
  expected: ExpectedStreamVersion<bigint> = NO_CONCURRENCY_CHECK,
): ExpectedStreamVersion<bigint> {
  const words: readonly unknown[] = [NO_CONCURRENCY_CHECK, STREAM_DOES_NOT_EXIST, STREAM_EXISTS];
  if (typeof expected === "bigint" || words.includes(expected)) return expected;
  throw optionInvalid("expectedStreamVersion", `must be a bigint or one of ${words.join(", ")}`);
}

/** Returns what the journal is to expect. Throws emmett's conflict if the stream's version shows already that it fails. */
export async function expectedByJournal(
  journal: Journal,
  streamName: string,
  expected: ExpectedStreamVersion<bigint>,
): Promise<AppendByIdOptions["expected"]> {
  if (expected === NO_CONCURRENCY_CHECK) return "any";
  if (expected === STREAM_DOES_NOT_EXIST) return "none";
  if (typeof expected === "bigint" && expected >= 0n && expected <= Number.MAX_SAFE_INTEGER)
    return Number(expected);
  // A stream that exists stays, so the journal need not check it again. Other bigints are not versions of a stream.
  const highest = await journal.highestSequenceNr(streamName);
  if (expected === STREAM_EXISTS && highest > 0) return "any";
  throw new ExpectedVersionConflictError(BigInt(highest), expected);
}
