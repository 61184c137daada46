import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, silentLogger, systemClock } from "@tablekeep/core";
import { defineEntity, openEntities } from "@tablekeep/entity";
import { defineProjection, projectionTableSpec, runProjections } from "@tablekeep/feed/projections";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { keyTableSpec, openKeyStore } from "@tablekeep/journal/encryption";
import { mailTableSpec, openMail } from "@tablekeep/mail";
import {
  ConnectionLog,
  type LoggedConnection,
  openShadowManager,
  openShadows,
  shadowTableSpec,
} from "@tablekeep/shadow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  conflicts,
  type Storm,
  type StormyDynamo,
  serverErrors,
  stormyDynamo,
  throttledTransactions,
  throttling,
} from "./stormy-dynamo.ts";

/** Without jitter, waits take no time: only attempts and budget end an operation. */
const noWait = { random: () => 0 };

/** Prepares an operation of a store while all is calm, and returns it. */
type Prepare = (port: DynamoPort, id: string) => Promise<() => Promise<unknown>>;

const events = (count: number) => Array.from({ length: count }, (_unused, n) => ({ payload: { n } }));

const writerOf = async (port: DynamoPort, id: string) => {
  const writer = await (await openJournal(port, { table: "events", ...noWait })).recover(id);
  unwrap(await writer.append(events(1)));
  return writer;
};

const journalWith = async (port: DynamoPort, id: string, fencing: "optimistic" | "strict") => {
  const journal = await openJournal(port, { table: `events-${fencing}`, fencing, ...noWait });
  for (let round = 0; round < 3; round++) unwrap(await journal.append(id, events(2)));
  return journal;
};

const lamp = async (port: DynamoPort, id: string) => {
  const manager = openShadowManager(port, { table: "shadows", ...noWait });
  unwrap(await manager.update({ id, desired: { on: true } }));
  return manager;
};

const counter = defineEntity({
  type: "counter",
  initial: () => ({ total: 0 }),
  decide: (_command: { readonly type: "add" }) => ({ events: [{ type: "added" as const }] }),
  evolve: ({ total }, _event: { readonly type: "added" }) => ({ total: total + 1 }),
});

const message = Buffer.from("From: ann@example.org\r\nTo: bob@example.com\r\nSubject: hi\r\n\r\nHello.\r\n");
const envelope = { from: "ann@example.org", to: ["bob@example.com"], helo: "client.example" };

const mailWith = async (port: DynamoPort) => {
  const mail = await openMail(port, { table: "mail", ...noWait });
  return { mail, id: (await mail.store(envelope, message)).id };
};

const operations: readonly [name: string, prepare: Prepare][] = [
  [
    "an append of one event",
    async (port, id) => {
      const writer = await writerOf(port, id);
      return () => writer.append(events(1));
    },
  ],
  [
    "an append with other items",
    async (port, id) => {
      const writer = await writerOf(port, id);
      const alsoWrite = [{ Put: { TableName: "events", Item: { par: { S: id }, num: { N: "0" } } } }];
      return () => writer.append(events(1), { alsoWrite });
    },
  ],
  [
    "an append of more events than a transaction holds",
    async (port, id) => {
      const journal = await openJournal(port, { table: "rows", layout: "bucketed", ...noWait });
      const writer = await journal.recover(id);
      return () => writer.append(events(150));
    },
  ],
  [
    "an append without a writer",
    async (port, id) => {
      const journal = await journalWith(port, id, "strict");
      return () => journal.append(id, events(1));
    },
  ],
  [
    "a recovery that supersedes a writer",
    async (port, id) => {
      const journal = await journalWith(port, id, "strict");
      return () => journal.recover(id);
    },
  ],
  [
    "a deletion of events",
    async (port, id) => {
      const journal = await journalWith(port, id, "optimistic");
      return () => journal.deleteTo(id, 4);
    },
  ],
  [
    "a purge",
    async (port, id) => {
      const journal = await journalWith(port, id, "optimistic");
      return () => journal.purge(id);
    },
  ],
  [
    "the key of a new subject",
    async (port, id) => {
      const keys = openKeyStore(port, { table: "keys", ...noWait });
      return async () => keys.getOrCreate(id);
    },
  ],
  [
    "forgetting a subject",
    async (port, id) => {
      const keys = openKeyStore(port, { table: "keys", ...noWait });
      await keys.getOrCreate(id);
      return () => keys.forget(id);
    },
  ],
  [
    "reading a shadow",
    async (port, id) => {
      const manager = await lamp(port, id);
      return () => manager.get({ id });
    },
  ],
  [
    "updating a shadow",
    async (port, id) => {
      const manager = await lamp(port, id);
      return () => manager.update({ id, desired: { on: false } });
    },
  ],
  [
    "writing two halves of a shadow",
    async (port, id) => {
      const shadows = openShadows(port, { table: "shadows", model: "separate", ...noWait });
      return () => shadows.write([{ id, name: "s", desired: { on: true }, reported: { on: false } }]);
    },
  ],
  [
    "deleting a shadow",
    async (port, id) => {
      const manager = await lamp(port, id);
      return () => manager.delete({ id });
    },
  ],
  [
    "storing that a thing has disconnected",
    async (port, id) => {
      const log = new ConnectionLog({ port, table: "shadows", clock: systemClock, logger: silentLogger });
      const connection = await new Promise<LoggedConnection>((resolve) => {
        const made = log.connected(id, () => resolve(made));
      });
      return () => connection.ended({ reason: "CONNECTION_LOST", willPublished: false });
    },
  ],
  [
    "a command to an entity",
    async (port, id) => {
      const journal = await openJournal(port, { table: "events", ...noWait });
      const host = await openEntities({ journal, entities: [counter], ...noWait });
      await host.of(counter).ask(id, { type: "add" });
      return () => host.of(counter).ask(id, { type: "add" });
    },
  ],
  [
    "storing a message",
    async (port) => {
      const { mail } = await mailWith(port);
      return () => mail.store(envelope, message);
    },
  ],
  [
    "marking a message",
    async (port) => {
      const { mail, id } = await mailWith(port);
      return () => mail.mark([id], { read: true });
    },
  ],
  [
    "deleting a message",
    async (port) => {
      const { mail, id } = await mailWith(port);
      return () => mail.deleteOne(id);
    },
  ],
];

const storms: readonly [name: string, storm: Storm][] = [
  ["throttles", throttling],
  ["has internal errors", serverErrors],
  ["has a conflict", conflicts],
  ["throttles transactions", throttledTransactions],
];

let dynamo: StormyDynamo;
beforeAll(async () => {
  dynamo = await stormyDynamo();
  const port = dynamo.port();
  for (const table of ["events", "events-strict", "events-optimistic", "events-fed"])
    await ensureTable(port, journalTableSpec({ table }));
  await ensureTable(port, journalTableSpec({ table: "rows", layout: "bucketed" }));
  await ensureTable(port, projectionTableSpec("projections"));
  await ensureTable(port, { name: "totals", partitionKey: { name: "id", type: "S" } });
  await ensureTable(port, keyTableSpec("keys"));
  await ensureTable(port, shadowTableSpec("shadows"));
  await ensureTable(port, mailTableSpec({ table: "mail" }));
});
afterAll(() => dynamo[Symbol.asyncDispose]());

let ids = 0;

/** Returns how many requests a storm rejected until the operation ended. */
async function rejectedRequests(prepare: Prepare, storm: Storm, maxAttempts: number): Promise<number> {
  const run = await prepare(dynamo.port({ maxAttempts }), `id-${++ids}`);
  const rejected = dynamo.begin(storm);
  await run().catch(() => undefined);
  dynamo.calm();
  return rejected.length;
}

describe.each(operations)("%s", (name, prepare) => {
  // One request as often as the port allows, and as many reads that were to show its outcome. An entity is then loaded again.
  const most = name === "a command to an entity" ? 3 : 2;

  test.each(storms)("ends after a few attempts where DynamoDB %s", async (_storm, storm) => {
    for (const maxAttempts of [10, 3, 1])
      expect(await rejectedRequests(prepare, storm, maxAttempts)).toBeLessThanOrEqual(most * maxAttempts);
  });
});

test("a projection whose transactions are throttled sends one as often as the port allows, and then waits", async () => {
  const port = dynamo.port();
  const journal = await openJournal(port, { table: "events-fed" });
  unwrap(await journal.append("account|1", events(1)));
  const totals = defineProjection({
    name: "totals",
    retry: { attempts: 5, backoffMs: 3_600_000, maxBackoffMs: 3_600_000 },
    mode: "exactly-once",
    handle: async (_event, tx) => tx.update("totals", { id: { S: "all" } }, { add: { events: { N: "1" } } }),
  });
  const feed = { journal: { table: "events-fed" } };
  await using caughtUp = await runProjections(port, [totals], { table: "projections", feed });
  await caughtUp.reached(totals, { persistenceId: "account|1", sequenceNr: 1 });
  const rejected = dynamo.begin(throttledTransactions);
  unwrap(await journal.append("account|1", events(1)));
  await expect.poll(() => caughtUp.status()[0]?.lastError).toBeDefined();
  dynamo.calm();
  expect(rejected.length).toBeLessThanOrEqual(20);
});
