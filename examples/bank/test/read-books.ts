/**
 * The oracle of the bank: reads the tables and adds up by itself. It shares no code with the example: it knows only the names
 * of the tables and the types of the events.
 */
import type { DynamoPort } from "@tablekeep/core";
import { openJournal } from "@tablekeep/journal";

interface Entry {
  readonly type: string;
  readonly transfer?: string;
  readonly cents?: number;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
}

/** What the tables say. */
export interface Books {
  /** Balances by account. */
  readonly balances: ReadonlyMap<string, number>;
  /** What was paid in when accounts were opened. */
  readonly paidIn: number;
  /** How transfers ended: "done", "declined", "refunded", or "under way". */
  readonly ends: ReadonlyMap<string, string>;
  /** Messages that are not delivered. */
  readonly waiting: number;
  readonly problems: readonly string[];
}

/** How often each step of a transfer must have been carried out, by how it ended. */
const steps: Readonly<Record<string, readonly string[]>> = {
  done: ["deposited to", "withdrawn from"],
  declined: ["withdrawal-declined from"],
  refunded: ["deposit-declined to", "refunded from", "withdrawn from"],
};

export async function readBooks(port: DynamoPort): Promise<Books> {
  const journal = await openJournal(port, { table: "bank-events" });
  const entries = new Map<string, Entry[]>();
  for await (const { persistenceId } of journal.currentPersistenceIds({ source: "scan" })) {
    const list: Entry[] = [];
    for await (const { payload } of journal.replay(persistenceId)) list.push(payload as Entry);
    entries.set(persistenceId, list);
  }
  const problems: string[] = [];
  const balances = new Map<string, number>();
  const ends = new Map<string, string>();
  /** By transfer: what accounts have done for it. */
  const done = new Map<string, string[]>();
  let paidIn = 0;
  const accounts = [...entries].filter(([id]) => id.startsWith("account|"));
  const transfers = new Map([...entries].filter(([id]) => id.startsWith("transfer|")));
  for (const [persistenceId, list] of accounts) {
    const account = persistenceId.slice("account|".length);
    let balance = 0;
    for (const { type, cents = 0, transfer } of list) {
      if (type === "opened") paidIn += cents;
      if (["opened", "deposited", "refunded"].includes(type)) balance += cents;
      if (type === "withdrawn") balance -= cents;
      if (balance < 0) problems.push(`${account}: ${balance} cents`);
      if (transfer === undefined) continue;
      const [begun] = transfers.get(`transfer|${transfer}`) ?? [];
      const side = begun?.from === account ? "from" : begun?.to === account ? "to" : "a stranger";
      if (begun?.cents !== cents) problems.push(`${transfer}: ${type} ${cents} of ${begun?.cents} cents`);
      done.set(transfer, [...(done.get(transfer) ?? []), `${type} ${side}`]);
    }
    balances.set(account, balance);
  }
  for (const [persistenceId, list] of transfers) {
    const transfer = persistenceId.slice("transfer|".length);
    const ended = list.filter(({ type }) => type === "ended");
    const end = ended[0]?.status ?? "under way";
    ends.set(transfer, end);
    if (ended.length > 1) problems.push(`${transfer}: ended ${ended.length} times`);
    const found = (done.get(transfer) ?? []).toSorted();
    const expected = steps[end];
    if (expected !== undefined && found.join() !== expected.join())
      problems.push(`${transfer} ended as ${end}, but its steps are: ${found.join(", ")}`);
  }
  return { balances, paidIn, ends, waiting: await waitingIn(port), problems };
}

/** Returns how many messages are not delivered. */
export async function waitingIn(port: DynamoPort): Promise<number> {
  const { Count = 0 } = await port.scan({ TableName: "bank-outbox", Select: "COUNT", ConsistentRead: true });
  return Count;
}
