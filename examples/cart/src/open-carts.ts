import { connect, ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type EntityHost, ledgerTableSpec, openEntities } from "@tablekeep/entity";
import { journalTableSpec, openJournal, openSnapshots, snapshotTableSpec } from "@tablekeep/journal";
import { cart } from "./cart.ts";

/** Where carts are kept: in a folder of this machine, or in DynamoDB. */
export type Place =
  | { readonly folder: string }
  | { readonly region: string; readonly endpoint?: string | undefined };

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
  const { region, endpoint } = place;
  return connect(endpoint === undefined ? { region } : { region, endpoint });
}
