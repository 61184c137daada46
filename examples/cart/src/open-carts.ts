import { type ConnectOptions, connect, ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type EntityHost, ledgerTableSpec, openEntities } from "@tablekeep/entity";
import { journalTableSpec, openJournal, openSnapshots } from "@tablekeep/journal";
import { cart } from "./cart.ts";

/** Where carts are stored: in a local folder, in DynamoDB, or on a compatible endpoint. */
export type Backend =
  | { readonly folder: string }
  | Pick<ConnectOptions, "region" | "endpoint" | "credentials">;

/** A running host of carts. */
export interface OpenCarts {
  readonly host: EntityHost<typeof cart>;
  /** Waits for commands in flight, then closes the connection. */
  close(): Promise<void>;
}

/** Opens carts, and creates missing tables. The names of the tables start with `prefix`. */
export async function openCarts(backend: Backend, prefix = "cart"): Promise<OpenCarts> {
  const port = await openPort(backend);
  const names = { events: `${prefix}-events`, commands: `${prefix}-commands` };
  await ensureTable(port, journalTableSpec({ table: names.events }));
  await ensureTable(port, ledgerTableSpec(names.commands));
  const journal = await openJournal(port, { table: names.events });
  const snapshots = await openSnapshots(port, { journal });
  const host = await openEntities({
    entities: [cart],
    journal,
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

async function openPort(backend: Backend): Promise<DynamoPort> {
  if ("folder" in backend) return openEngine({ storage: { kind: "folder", path: backend.folder } });
  return connect(backend);
}
