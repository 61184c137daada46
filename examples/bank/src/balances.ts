/** The balances of all accounts: a read model that a projection maintains from the events, each applied exactly once. */
import { setTimeout as pause } from "node:timers/promises";
import type { TableSpec } from "@tablekeep/client";
import type { DynamoPort, Key } from "@tablekeep/core";
import { defineProjection, type RunningProjections, runProjections } from "@tablekeep/feed/projections";
import type { AccountEvent } from "./account.ts";

const balancesTable = "bank-balances";

export const balancesTableSpec: TableSpec = {
  name: balancesTable,
  partitionKey: { name: "account", type: "S" },
};

/** What the read model has of an account. */
export interface Balance {
  readonly account: string;
  readonly status: "open" | "closed";
  readonly cents: number;
}

/** By how much an event changes a balance. */
const signs: Partial<Record<AccountEvent["type"], 1 | -1>> = {
  opened: 1,
  deposited: 1,
  refunded: 1,
  withdrawn: -1,
};

const statuses: Partial<Record<AccountEvent["type"], Balance["status"]>> = {
  opened: "open",
  closed: "closed",
};

const balances = defineProjection<AccountEvent>({
  name: "balances",
  feed: { type: "account" },
  handle({ persistenceId, payload }, tx) {
    const { type } = payload;
    const [sign, status] = [signs[type], statuses[type]];
    const key: Key = { account: { S: persistenceId.slice("account|".length) } };
    if (sign !== undefined && "cents" in payload)
      tx.update(balancesTable, key, { add: { cents: { N: String(sign * payload.cents) } } });
    if (status !== undefined) tx.update(balancesTable, key, { set: { status: { S: status } } });
  },
});

/** How long after its last sign of life a process loses its share of the work to another, in milliseconds. */
const leaseMs = 3000;

/**
 * Keeps the read model up to date until it is stopped. Any number of processes may do so: they share the accounts. The bank does not wait for it, so that it
 * also works while its read model does not.
 */
export function startBalances(
  port: DynamoPort,
  tables: { readonly events: string; readonly projections: string },
  onError: (error: unknown) => void = () => undefined,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const start = async (): Promise<RunningProjections | undefined> => {
    while (!signal.aborted) {
      try {
        const feed = { journal: { table: tables.events }, leaseMs };
        return await runProjections(port, [balances], { table: tables.projections, feed, leaseMs, signal });
      } catch (error) {
        if (!signal.aborted) onError(error);
        await pause(1000, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  };
  const running = start();
  return {
    async stop() {
      stopping.abort();
      await (await running)?.stop();
    },
  };
}

/** Reads the balances, by account. They are behind the events by a moment. */
export async function readBalances(port: DynamoPort): Promise<Balance[]> {
  const found: Balance[] = [];
  let ExclusiveStartKey: Key | undefined;
  do {
    const page = await port.scan({ TableName: balancesTable, ConsistentRead: true, ExclusiveStartKey });
    for (const { account, status, cents } of page.Items ?? [])
      found.push({
        account: account?.S ?? "",
        status: status?.S === "closed" ? "closed" : "open",
        cents: Number(cents?.N ?? 0),
      });
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return found.sort((one, other) => (one.account < other.account ? -1 : 1));
}
