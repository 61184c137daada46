import type { DynamoPort } from "@tablekeep/core";
import { expect } from "vitest";
import type { SnapshotsOptions } from "../src/snapshots/snapshot-options.ts";
import { census, openSmall } from "./snapshot-world.ts";

/** The state of one snapshot as text that is quick to compare; undefined if there is none. */
export async function stateOf(
  port: DynamoPort,
  persistenceId: string,
  sequenceNr: number,
  options: SnapshotsOptions = {},
): Promise<string | undefined> {
  const snapshots = await openSmall(port, options);
  const criteria = { minSequenceNr: sequenceNr, maxSequenceNr: sequenceNr };
  const found = await snapshots.load(persistenceId, criteria);
  return found === undefined ? undefined : textOf(found.state);
}

export function textOf(state: unknown): string {
  return state instanceof Uint8Array ? Buffer.from(state).toString("base64") : String(state);
}

/** Collects garbage after the time of every save is over: then chunks and records are those that heads name. */
export async function expectNoGarbage(port: DynamoPort, persistenceId: string, now: number): Promise<void> {
  const clock = { now: () => now + 100 * 3_600_000, monotonic: () => now, after: () => () => {} };
  const snapshots = await openSmall(port, { clock, garbageAfterMs: 0 });
  await snapshots.collectGarbage(persistenceId);
  const { stages, chunks } = await census(port);
  let needed = 0;
  for await (const { sequenceNr } of snapshots.list(persistenceId)) {
    const state = await stateOf(port, persistenceId, sequenceNr);
    if ((state ?? "").length > 8_000) needed++;
  }
  expect({ stages, unneeded: chunks > 0 && needed === 0 }).toEqual({ stages: needed, unneeded: false });
  expect(await snapshots.collectGarbage(persistenceId)).toEqual({ snapshots: 0, chunks: 0 });
}
