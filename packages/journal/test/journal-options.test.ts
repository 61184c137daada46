import { createTableInput, ensureTable } from "@tablekeep/client";
import { type DynamoPort, type Logger, wrapPort } from "@tablekeep/core";
import { afterEach, describe, expect, test } from "vitest";
import { buildContext } from "../src/context/build-context.ts";
import {
  createCodecs,
  type JournalOptions,
  journalTableSpec,
  openJournal,
  openJournalReader,
  openSnapshots,
  snapshotTableSpec,
} from "../src/index.ts";
import { append, collect, engineWith, numbersOf, range, singles } from "./journal-world.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

async function engine(options: JournalOptions = {}) {
  const port = await engineWith({ table: "events", ...options });
  open.push(port);
  return port;
}

/** Counts the keys or entries of every batch. */
function countedBatches(port: DynamoPort): { port: DynamoPort; sizes: Map<string, number[]> } {
  const sizes = new Map<string, number[]>();
  const counted = wrapPort(port, (operation, input, call, next) => {
    const { RequestItems = {} } = input as { RequestItems?: Record<string, { Keys?: object[] } | object[]> };
    const entries = Object.values(RequestItems).flatMap((each) =>
      Array.isArray(each) ? each : (each.Keys ?? []),
    );
    if (operation.startsWith("Batch"))
      sizes.set(operation, [...(sizes.get(operation) ?? []), entries.length]);
    return next(operation, input, call);
  });
  return { port: counted, sizes };
}

function lines(): { logger: Logger; told: { level: string; message: string; fields: object }[] } {
  const told: { level: string; message: string; fields: object }[] = [];
  const at =
    (level: string) =>
    (message: string, fields = {}) => {
      told.push({ level, message, fields });
    };
  return { logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }, told };
}

test.each([
  ["layout", "bucket"],
  ["sequenceShards", 0],
  ["sequenceShards", 1.5],
  ["replayParallelism", -1],
  ["fencing", "none"],
  ["format", "json"],
  ["keyNames", { persistenceId: "pid" }],
  ["messageNames", {}],
  ["maxItemSize", 0],
  ["maxBatchGet", 101],
  ["maxBatchWrite", 26],
  ["persistenceIdsIndex", ""],
  ["replayFilter", "on"],
  ["countLimit", "both"],
  ["deadlineMs", 0],
  ["tracing", "yes"],
  ["logConfig", 1],
  ["highDistrust", "on"],
  ["codecs", {}],
  ["clock", {}],
  ["random", 4],
  ["logger", {}],
  ["table", ""],
  ["journalName", 7],
  ["replayParalelism", 10],
])("option %s rejects %j before anything is sent", async (option, value) => {
  const refused = { code: "JOURNAL_OPTION_INVALID", details: { option } };
  const nothing = wrapPort({} as DynamoPort, () => expect.fail("a request was sent"));
  await expect(openJournal(nothing, { [option]: value })).rejects.toMatchObject(refused);
  await expect(openSnapshots(nothing, { journal: { [option]: value } })).rejects.toMatchObject(refused);
});

test("maxBatchGet and maxBatchWrite bound what one request holds", async () => {
  const { port, sizes } = countedBatches(await engine());
  const journal = await openJournal(port, { table: "events", maxBatchGet: 7, maxBatchWrite: 4 });
  await append(journal, "a", singles(1, 30));
  await journal.deleteTo("a", 20);
  expect(numbersOf(await collect(journal.replay("a")))).toEqual(range(21, 30));
  await journal.purge("a");
  for (const [operation, most] of [["BatchGetItem", 7] as const, ["BatchWriteItem", 4] as const]) {
    const of = sizes.get(operation) ?? [];
    expect(Math.max(...of)).toBe(most);
  }
});

describe("highDistrust", () => {
  /** Events up to 250, and the marks, event 99 and all above 195 to 199 were lost: by another's hand, or by a bad restore. */
  async function damaged() {
    const port = await engine();
    const options = { table: "events", layout: "bucketed" } as const;
    await append(await openJournal(port, options), "a", [...singles(1, 99), ...singles(100, 250)]);
    const { layout } = buildContext(port, options).context;
    const keys = [
      ...layout.markKeys("a").high,
      ...[99, 195, 196, 197, 198, 199].map((each) => layout.eventKey("a", each)),
    ];
    for (const Key of keys) await port.deleteItem({ TableName: "events", Key });
    return port;
  }

  test("reads past buckets that are not full", async () => {
    const port = await damaged();
    const journal = await openJournalReader(port, { table: "events", highDistrust: true });
    expect(await journal.highestSequenceNr("a")).toBe(250);
  });

  test("is off by default, as with the original", async () => {
    const port = await damaged();
    const journal = await openJournalReader(port, { table: "events" });
    expect(await journal.highestSequenceNr("a")).toBe(98);
  });

  test.each(["packed", "linear", "scattered"] as const)(
    "changes nothing for a sound journal, %s",
    async (layout) => {
      const options = { layout, table: "events", sequenceShards: 3 };
      const port = await engine(options);
      const journal = await openJournal(port, { ...options, highDistrust: true });
      await append(journal, "a", singles(1, 130));
      expect(await journal.highestSequenceNr("a")).toBe(130);
      expect(await journal.highestSequenceNr("b")).toBe(0);
    },
  );
});

test("tracing logs every request, and no stored data", async () => {
  const { logger, told } = lines();
  const journal = await openJournal(await engine(), { table: "events", tracing: true, logger });
  await append(journal, "secret-id", [{ payload: "secret payload" }]);
  const operations = told.map(({ level, fields }) => [level, (fields as { operation?: string }).operation]);
  expect(operations).toEqual([
    ["debug", "GetItem"],
    ["debug", "Scan"],
    ["debug", "PutItem"],
    ["debug", "Query"],
    ["debug", "TransactWriteItems"],
  ]);
  expect(JSON.stringify(told)).not.toContain("secret");
});

test("logConfig logs the settings once, when the journal is opened", async () => {
  const { logger, told } = lines();
  const options = { table: "events", logger, logConfig: true, replayParallelism: 3 };
  const journal = await openJournal(await engine(), options);
  await append(journal, "a", singles(1, 2));
  expect(told).toEqual([
    {
      level: "info",
      message: "journal is opened",
      fields: expect.objectContaining({ table: "events", replayParallelism: 3, layout: "packed" }),
    },
  ]);
  await openJournal(open[0] as never, { table: "events", logger });
  expect(told).toHaveLength(1);
});

test("persistenceIdsIndex names the original's index", async () => {
  const port = await engineWith();
  open.push(port);
  const index = { name: "ids", partitionKey: { name: "num", type: "N" }, projection: "KEYS_ONLY" } as const;
  const spec = { ...journalTableSpec({ table: "events" }), globalIndexes: [index] };
  await port.createTable(createTableInput(spec));
  const journal = await openJournal(port, {
    table: "events",
    layout: "bucketed",
    persistenceIdsIndex: "ids",
  });
  await append(journal, "a", singles(1, 2));
  expect(await collect(journal.currentPersistenceIds({ source: "index" }))).toEqual([{ persistenceId: "a" }]);
  await expect(
    collect(journal.currentPersistenceIds({ source: "index", index: "others" })),
  ).rejects.toMatchObject({ code: "DYNAMO_VALIDATION" });
});

test("snapshots inherit missing options from their journal", async () => {
  const port = await engine();
  await ensureTable(port, snapshotTableSpec("snapshots"));
  const { logger, told } = lines();
  const codecs = createCodecs({ choose: () => ({ serializerId: 31, manifest: "state" }) });
  const journal = { journalName: "carts", codecs, logger, tracing: true, maxItemSize: 300_000 };
  const snapshots = await openSnapshots(port, { table: "snapshots", journal });
  await snapshots.save("a", 1, { n: 1 });
  const others = await openSnapshots(port, { table: "snapshots", journal, journalName: "others" });
  expect(await others.load("a")).toBeUndefined();
  expect(await snapshots.load("a")).toMatchObject({ state: { n: 1 }, serializerId: 31 });
  expect(told.length).toBeGreaterThan(0);
  const { Items = [] } = await port.scan({ TableName: "snapshots" });
  expect(Items.map((item) => item["par"]?.S)).toEqual(["carts-P-a"]);
});
