import { type ConnectOptions, connect, ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type EntityHost, ledgerTableSpec, openEntities } from "@tablekeep/entity";
import { projectionTableSpec } from "@tablekeep/feed/projections";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { account } from "./account.ts";
import { type Balance, balancesTableSpec, readBalances, startBalances } from "./balances.ts";
import { outboxTableSpec } from "./outbox.ts";
import { startRelay } from "./relay.ts";
import { transfer } from "./transfer.ts";

/** Where the bank is stored: in a local folder, in DynamoDB, or on a compatible endpoint. */
export type Backend =
  | { readonly folder: string }
  | Pick<ConnectOptions, "region" | "endpoint" | "credentials">;

const eventsTable = "bank-events";
const commandsTable = "bank-commands";
const projectionsTable = "bank-projections";

/** Messages may wait this long in the outbox: then the receiver no longer recognizes a repeated delivery. */
const keepMs = 30 * 24 * 3_600_000;

/** A running bank. */
export interface Bank {
  readonly host: EntityHost<typeof account | typeof transfer>;
  /** Returns the balances of all accounts, from the read model. */
  balances(): Promise<Balance[]>;
  /** Waits for commands and deliveries in flight, then closes the connection. */
  close(): Promise<void>;
}

/** Opens the bank with a relay and its read model, and creates missing tables. */
export async function openBank(backend: Backend, onError?: (error: unknown) => void): Promise<Bank> {
  const port = await openPort(backend);
  await ensureTable(port, journalTableSpec({ table: eventsTable }));
  await ensureTable(port, ledgerTableSpec(commandsTable));
  await ensureTable(port, outboxTableSpec);
  await ensureTable(port, projectionTableSpec(projectionsTable));
  await ensureTable(port, balancesTableSpec);
  const host = await openEntities({
    entities: [account, transfer],
    journal: await openJournal(port, { table: eventsTable }),
    ledger: { port, table: commandsTable, keepMs },
  });
  const relay = startRelay(port, host, { onError });
  const projecting = startBalances(port, { events: eventsTable, projections: projectionsTable }, onError);
  return {
    host,
    balances: () => readBalances(port),
    async close() {
      await projecting.stop();
      await relay.stop();
      await host.close();
      await port.close();
    },
  };
}

async function openPort(backend: Backend): Promise<DynamoPort> {
  if ("folder" in backend) return openEngine({ storage: { kind: "folder", path: backend.folder } });
  return connect(backend);
}
