import { ensureTable } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { projectionTableSpec } from "@tablekeep/feed/projections";

/** What is stored about one version of a projection that nobody runs. */
export interface StoredProjection {
  readonly name: string;
  /** @default [1]; the first is the current one */
  readonly versions?: readonly number[];
  /** Events that were put aside: place in slice 0, id and error. @default none */
  readonly parked?: readonly (readonly [offset: number, persistenceId: string, error: string])[];
  /** The event of slice 0 that stopped it. @default none */
  readonly stoppedBy?: readonly [persistenceId: string, error: string];
}

const slices = 16;
const number = (value: number) => ({ N: String(value) });
const digits = (value: number, length: number) => String(value).padStart(length, "0");

/** Stores projections as a process leaves them that has run them and ended. */
export async function storeProjection(port: DynamoPort, projection: StoredProjection): Promise<void> {
  const { name, versions = [1], parked = [], stoppedBy } = projection;
  await ensureTable(port, projectionTableSpec());
  const put = (key: readonly [string, string], item: Item) =>
    port.putItem({
      TableName: projectionTableSpec().name,
      Item: { projection: { S: key[0] }, item: { S: key[1] }, ...item },
    });
  await put(["#projections", name], {
    current: number(versions[0] ?? 1),
    versions: { NS: versions.map(String) },
  });
  for (const version of versions) {
    const partition = `${name}#${version}`;
    await put([partition, "projection"], {
      mode: { S: "exactly-once" },
      feed: { S: "all" },
      generation: number(1),
      slices: number(slices),
      paused: { BOOL: false },
      revision: number(0),
      created_at: number(1_700_000_000_000),
    });
    for (let slice = 0; slice < slices; slice++)
      await put([partition, `slice-${digits(slice, 4)}`], {
        offset: number(0),
        page: number(0),
        skip: number(0),
        epoch: number(1),
        moved_at: number(1_700_000_000_000),
        ...(slice === 0 && stoppedBy && { failed: { M: failedEvent(0, ...stoppedBy) } }),
      });
    for (const [offset, persistenceId, error] of parked)
      await put([partition, `parked-${digits(0, 4)}-${digits(offset, 16)}`], {
        ...failedEvent(offset, persistenceId, error),
        first: number(1),
        last: number(1),
        mark: number(0),
        retry: { BOOL: false },
      });
  }
}

function failedEvent(offset: number, persistenceId: string, error: string): Item {
  return {
    offset: number(offset),
    persistence_id: { S: persistenceId },
    sequence_nr: number(1),
    error: { S: error },
    at: number(1_700_000_000_000),
  };
}
