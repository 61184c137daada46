import { type ConnectOptions, connect, ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type EntityHost, ledgerTableSpec, openEntities } from "@tablekeep/entity";
import { journalTableSpec, openJournal, openSnapshots, snapshotTableSpec } from "@tablekeep/journal";
import { cart } from "./cart.ts";

/** Where carts are kept: in a folder of this machine, in DynamoDB, or on a server of one's own that speaks as DynamoDB does. */
export type Place = { readonly folder: string } | Pick<ConnectOptions, "region" | "endpoint" | "credentials">;

/** Carts that are open. */
export interface OpenCarts {
  readonly host: EntityHost<typeof cart>;
  /** Ends what is under way, then lets go of the tables. */
  close(): Promise<void>;
}

/** Opens the carts of a place. Tables that are missing are made; their names begin with `prefix`. */
export async function openCarts(place: Place, prefix = "cart"): Promise<OpenCarts> {
  const port = await openPort(place);
  const names = {
    events: `${prefix}-events`,
    snapshots: `${prefix}-snapshots`,
    commands: `${prefix}-commands`,
  };
  await ensureTable(port, journalTableSpec({ table: names.events }));
  await ensureTable(port, snapshotTableSpec(names.snapshots));
  await ensureTable(port, ledgerTableSpec(names.commands));
  const snapshots = await openSnapshots(port, { table: names.snapshots });
  const host = await openEntities({
    entities: [cart],
    journal: await openJournal(port, { table: names.events }),
    snapshots,
    ledger: { port, table: names.commands },
    snapshotEvery: 20,
    keepSnapshots: 2,
  });
  return {
    host,
    async close() {
      await host.close();
      await snapshots.close();
      await port.close();
    },
  };
}

async function openPort(place: Place): Promise<DynamoPort> {
  if ("folder" in place) return openEngine({ storage: { kind: "folder", path: place.folder } });
  return connect(place);
}
