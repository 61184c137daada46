import { createHash } from "node:crypto";
import { newWriteId } from "@tablekeep/client";
import type { Item, Key } from "@tablekeep/core";

/**
 * An id that no other save has: 120 bits of a random UUID as a decimal number, so that it can be a sort key (38 digits
 * at most) and a part of a key in which no text of users may appear.
 */
export function newSnapshotId(): string {
  const bytes = Buffer.from(newWriteId(), "base64url").subarray(0, 15);
  return BigInt(`0x${bytes.toString("hex")}`).toString();
}

/** The keys of the rows of one journal's snapshots. Pure. */
export interface SnapshotKeys {
  /** The names of the table's key attributes. */
  readonly names: readonly [partition: string, sort: string];
  /** Whether the snapshots of an id lie among its events, which share their partition. */
  readonly besideEvents: boolean;
  /** The sort key of the snapshot with a sequence number. */
  numberOf(sequenceNr: number): string;
  /** The sequence number of a head; undefined for an item that is no head. */
  sequenceNrOf(head: Item): number | undefined;
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
  return keysWith(journalName, {
    names: ["par", "seq"],
    besideEvents: false,
    numberOf: String,
    sequenceNrOf: (head) => Number(head["seq"]?.N),
  });
}

/**
 * Where the journal is in the packed layout: a snapshot of the state after event 7 is at 7.5, right behind the events that it covers, so that one
 * query reads it together with those that it does not. Numbers with a half are handled as text: the highest are none that JavaScript holds.
 */
export function snapshotKeysBesideEvents(journalName: string): SnapshotKeys {
  return keysWith(journalName, {
    names: ["par", "num"],
    besideEvents: true,
    numberOf: (sequenceNr) => `${sequenceNr}.5`,
    sequenceNrOf: (head) => {
      const number = head["num"]?.N ?? "";
      return number.endsWith(".5") ? Number(number.slice(0, -2)) : undefined;
    },
  });
}

function keysWith(
  journalName: string,
  place: Pick<SnapshotKeys, "names" | "besideEvents" | "numberOf" | "sequenceNrOf">,
): SnapshotKeys {
  const [, sort] = place.names;
  const partition = (persistenceId: string) => `${journalName}-P-${persistenceId}`;
  const stages = (persistenceId: string) => `${journalName}-K-${sha256Hex(persistenceId)}`;
  const key = (par: string, seq: number | string): Key => ({ par: { S: par }, [sort]: { N: String(seq) } });
  return {
    ...place,
    partition,
    head: (persistenceId, sequenceNr) => key(partition(persistenceId), place.numberOf(sequenceNr)),
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
