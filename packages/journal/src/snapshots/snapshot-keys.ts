import { createHash } from "node:crypto";
import { newWriteId } from "@tablekeep/client";
import type { Key } from "@tablekeep/core";

/**
 * An id that no other save has: 120 bits of a random UUID as a decimal number, so that it can be a sort key (38 digits
 * at most) and a part of a key in which no text of users may appear.
 */
export function newSnapshotId(): string {
  const bytes = Buffer.from(newWriteId(), "base64url").subarray(0, 15);
  return BigInt(`0x${bytes.toString("hex")}`).toString();
}

/** The names of the key attributes of a snapshot table. */
export const snapshotKeyNames: readonly ["par", "seq"] = ["par", "seq"];

/** The keys of the rows of one journal's snapshots. Pure. */
export interface SnapshotKeys {
  /** The partition of all snapshots of an id, as the original has it. */
  partition(persistenceId: string): string;
  head(persistenceId: string, sequenceNr: number): Key;
  /** The partition of what is recorded of an id's chunked snapshots. */
  stages(persistenceId: string): string;
  stage(persistenceId: string, snapshotId: string): Key;
  chunk(snapshotId: string, index: number): Key;
}

/**
 * The original asks only for partitions that begin with `<journal>-P-`. Ours beside them begin with `<journal>-K-` and
 * never contain `-P-`, whatever the ids: ids of users appear as a hash, those of snapshots are numbers. So no journal,
 * of whatever name, mistakes one of them for its own.
 */
export function snapshotKeys(journalName: string): SnapshotKeys {
  const partition = (persistenceId: string) => `${journalName}-P-${persistenceId}`;
  const stages = (persistenceId: string) => `${journalName}-K-${sha256Hex(persistenceId)}`;
  const key = (par: string, seq: number | string): Key => ({ par: { S: par }, seq: { N: String(seq) } });
  return {
    partition,
    head: (persistenceId, sequenceNr) => key(partition(persistenceId), sequenceNr),
    stages,
    stage: (persistenceId, snapshotId) => key(stages(persistenceId), snapshotId),
    // A partition each: those of one snapshot are written at the rate of many partitions, not of one.
    chunk: (snapshotId, index) => key(`${journalName}-K-${snapshotId}-${index}`, 0),
  };
}

/**
 * Whether the keys of two journals in one table could be the same: `a` with the id `b-P-c` and `a-P-b` with the id `c`.
 * They are distinguishable as long as no journal's name contains `-P-` or ends in `-P`.
 */
export function isAmbiguousName(journalName: string): boolean {
  return /-P(-|$)/.test(journalName);
}

function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
