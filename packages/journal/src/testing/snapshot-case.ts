import assert from "node:assert/strict";
import type { Snapshot, SnapshotCriteria, SnapshotMetadata, Snapshots } from "../snapshots/snapshots.ts";

/** The functions that a snapshot store must provide to be tested. */
export type SnapshotStoreUnderTest = Pick<Snapshots, "save" | "load" | "delete" | "deleteMany"> & {
  /** Only cases that need it use it. */
  readonly list?: Snapshots["list"];
  close?(): Promise<void>;
};

/** Optional features of a store. Cases that need a missing one are left out. */
export interface SnapshotAbilities {
  /** Returns states of unknown serializers unchanged. @default true */
  readonly foreignSerializers: boolean;
  /** Keeps metadata beside the state. @default true */
  readonly metadata: boolean;
  /** Lists what snapshots there are. @default true */
  readonly list: boolean;
}

/** One behavior of a snapshot store, checked. */
export interface SnapshotCase {
  /** A sentence on the behavior; unique in the suite. */
  readonly name: string;
  /** Where it comes from: a case of Akka's own suite for snapshot stores, or a defect of a store that it would find. */
  readonly source: string;
  readonly needs?: keyof SnapshotAbilities;
  readonly run: (world: SnapshotWorld) => Promise<void>;
}

/** The context of a case. */
export interface SnapshotWorld {
  readonly store: SnapshotStoreUnderTest;
  /** A persistence id that no other call returns. */
  unique(): string;
}

/** Five snapshots, `s-1` to `s-5`, of the numbers 11 to 15. */
export async function saveFive({ store, unique }: SnapshotWorld): Promise<{
  readonly persistenceId: string;
  readonly saved: readonly [
    SnapshotMetadata,
    SnapshotMetadata,
    SnapshotMetadata,
    SnapshotMetadata,
    SnapshotMetadata,
  ];
}> {
  const persistenceId = unique();
  const save = (n: number) => store.save(persistenceId, 10 + n, `s-${n}`);
  const saved = [await save(1), await save(2), await save(3), await save(4), await save(5)] as const;
  return { persistenceId, saved };
}

/** The load finds this snapshot and this state. */
export async function finds(
  { store }: SnapshotWorld,
  criteria: SnapshotCriteria,
  expected: SnapshotMetadata,
  state: unknown,
): Promise<Snapshot> {
  const found = await store.load(expected.persistenceId, criteria);
  assert.ok(found !== undefined, `nothing is found by ${JSON.stringify(criteria)}`);
  const { persistenceId, sequenceNr, timestamp } = found;
  assert.deepEqual(
    { persistenceId, sequenceNr, timestamp, state: found.state },
    {
      persistenceId: expected.persistenceId,
      sequenceNr: expected.sequenceNr,
      timestamp: expected.timestamp,
      state,
    },
  );
  return found;
}

/** The load finds nothing. */
export async function findsNone(
  { store }: SnapshotWorld,
  persistenceId: string,
  criteria: SnapshotCriteria = {},
): Promise<void> {
  const found = await store.load(persistenceId, criteria);
  assert.equal(found, undefined, `snapshot ${found?.sequenceNr} is found by ${JSON.stringify(criteria)}`);
}
