import { createHash } from "node:crypto";
import { newWriteId } from "@tablekeep/client";
import type { Item, Key } from "@tablekeep/core";

/**
 * Returns a unique id: 120 random bits as a decimal number, so that it can be a sort key (at most 38 digits) and part of a
 * key that must not contain user data.
 */
export function newSnapshotId(): string {
  const bytes = Buffer.from(newWriteId(), "base64url").subarray(0, 15);
  return BigInt(`0x${bytes.toString("hex")}`).toString();
}

/** The keys of the rows of one journal's snapshots. Pure. */
export interface SnapshotKeys {
  /** The names of the table's key attributes. */
  readonly names: readonly [partition: string, sort: string];
  /** Whether the snapshots of an id are stored in the same partition as its events. */
  readonly besideEvents: boolean;
  /** The sort key of the snapshot with a sequence number. */
  numberOf(sequenceNr: number): string;
  /** The sequence number of a head; undefined for any other item. */
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
 * The original reads only partitions that begin with `<journal>-P-`. Our additional ones begin with `<journal>-K-` and
 * never contain `-P-`, whatever the ids: persistence ids appear as hashes, and snapshot ids are numbers. So no journal,
 * whatever its name, mistakes one of them for its own.
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
 * For journals in the packed layout: a snapshot of the state after event 7 is at 7.5, right after the events that it
 * covers, so that one query reads it together with the events after it. These keys are handled as text: JavaScript
 * cannot represent the highest of them.
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
    // One partition per chunk, so that the chunks of one snapshot are not limited to the write rate of one partition.
    chunk: (snapshotId, index) => key(`${journalName}-K-${snapshotId}-${index}`, 0),
  };
}

/**
 * Returns whether the keys of two journals in one table could be the same, as of `a` with the id `b-P-c` and `a-P-b`
 * with the id `c`. They differ if no journal's name contains `-P-` or ends with `-P`.
 */
export function isAmbiguousName(journalName: string): boolean {
  return /-P(-|$)/.test(journalName);
}

function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
