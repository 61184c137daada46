import { createTableInput } from "@tablekeep/client";
import { afterEach, expect, test } from "vitest";
import { journalTableSpec, openJournal, snapshotTableSpec } from "../src/index.ts";
import { discoverJournals } from "../src/tools/index.ts";
import { append, collect, engineWith, engineWithFixture, layouts, singles } from "./journal-world.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

async function started<Port extends { close(): Promise<void> }>(port: Promise<Port>): Promise<Port> {
  open.push(await port);
  return port;
}

test.each(layouts)("a %s journal is found by its table, and opens as it was made", async (layout) => {
  const options = { table: "orders", layout, sequenceShards: 7, fencing: "strict" } as const;
  const port = await started(engineWith(options));
  await append(await openJournal(port, options), "order-1", singles(1, 3));

  const { journals, complete } = await discoverJournals(port);
  expect(complete).toBe(true);
  expect(journals).toMatchObject([options]);

  const [found] = journals;
  if (found === undefined) throw new Error("nothing was found");
  const events = await collect((await openJournal(port, found)).replay("order-1"));
  expect(events.map(({ sequenceNr }) => sequenceNr)).toEqual([1, 2, 3]);
});

test("key names of a linear journal are found", async () => {
  const options = {
    table: "own",
    layout: "linear",
    keyNames: { persistenceId: "who", sequenceNr: "n" },
  } as const;
  const port = await started(engineWith(options));
  await append(await openJournal(port, options), "id", singles(1, 1));
  expect((await discoverJournals(port)).journals).toMatchObject([options]);
});

test("a table that only Akka has written is found", async () => {
  const port = await started(engineWithFixture("akka-1.3"));
  expect((await discoverJournals(port)).journals).toEqual([{ table: "akka-1.3", layout: "bucketed" }]);
});

test("tables of other programs, and snapshots, are not journals", async () => {
  const port = await started(engineWith());
  const others = [
    snapshotTableSpec(),
    { name: "S-N", partitionKey: { name: "pid", type: "S" }, sortKey: { name: "seq", type: "N" } },
    { name: "S-S", partitionKey: { name: "par", type: "S" }, sortKey: { name: "num", type: "S" } },
    { name: "N-N", partitionKey: { name: "par", type: "N" }, sortKey: { name: "num", type: "N" } },
    { name: "only-S", partitionKey: { name: "key", type: "S" } },
    { name: "only-B", partitionKey: { name: "key", type: "B" } },
  ] as const;
  for (const spec of others) await port.createTable(createTableInput(spec));
  expect(await discoverJournals(port)).toEqual({ journals: [], complete: true });
});

test("a store with more than 100 tables says that the list is not complete", async () => {
  const port = await started(engineWith({ table: "a-first" }));
  for (let at = 0; at < 100; at++)
    await port.createTable(createTableInput(journalTableSpec({ table: `table-${at}` })));
  const { journals, complete } = await discoverJournals(port);
  expect(complete).toBe(false);
  expect(journals).toHaveLength(100);
});

test("a table that is deleted while discovery reads it is left out", async () => {
  const port = await started(engineWith({ table: "gone" }, { table: "kept" }));
  const racing = {
    ...port,
    async listTables(...call: Parameters<typeof port.listTables>) {
      const answer = await port.listTables(...call);
      await port.deleteTable({ TableName: "gone" });
      return answer;
    },
  };
  expect((await discoverJournals(racing)).journals).toMatchObject([{ table: "kept" }]);
});
