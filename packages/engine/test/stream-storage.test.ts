import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChangeRecord } from "@tablekeep/core";
import { fakeClock, seededRandom } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { regions } from "../src/catalog/storage-keys.ts";
import { Checkpoints } from "../src/checkpoints.ts";
import { trimStreams } from "../src/jobs/trim-streams.ts";
import { FolderStorage } from "../src/storage/folder-storage.ts";
import { encodeRecords, scanSeries, seriesKey } from "../src/storage/series.ts";
import { describeThings, openTestDatabase, rejectionOf, tableInput } from "./tables.ts";

let base = "";
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "engine-streams-"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

let folders = 0;
const newFolder = () => join(base, String(++folders));
const emptyFolder = () => {
  const path = newFolder();
  mkdirSync(path);
  return path;
};
const hour = 60 * 60 * 1000;
const never = new AbortController().signal;
const clock = fakeClock();

async function opened(path: string, maxLogBytes?: number) {
  const storage = await FolderStorage.open(path, maxLogBytes === undefined ? {} : { maxLogBytes });
  const { port, database } = openTestDatabase(storage, { clock });
  const checkpoints = new Checkpoints(database, storage);
  return { storage, port, database, checkpoints };
}

type Opened = Awaited<ReturnType<typeof opened>>;

async function withStream(path: string, maxLogBytes?: number): Promise<Opened & { arn: string }> {
  const engine = await opened(path, maxLogBytes);
  await engine.port.createTable(
    tableInput({ StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" } }),
  );
  return { ...engine, arn: (await describeThings(engine.port)).LatestStreamArn ?? "" };
}

const put = ({ port }: Opened, pk: string) =>
  port.putItem({ TableName: "things", Item: { pk: { S: pk }, text: { S: "ü".repeat(pk.length % 40) } } });

const shardOf = async ({ port }: Opened, StreamArn: string) =>
  (await port.describeStream({ StreamArn })).StreamDescription?.Shards?.[0]?.ShardId;

/** Reads a stream in pages; from its oldest record, or after the one with a sequence number. */
async function read(
  engine: Opened,
  StreamArn: string,
  limit: number,
  after?: string,
): Promise<ChangeRecord[]> {
  const { port } = engine;
  const ShardId = await shardOf(engine, StreamArn);
  let { ShardIterator } = await port.getShardIterator({
    StreamArn,
    ShardId,
    ...(after === undefined
      ? { ShardIteratorType: "TRIM_HORIZON" }
      : { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: after }),
  });
  const records: ChangeRecord[] = [];
  for (;;) {
    const page = await port.getRecords({ ShardIterator, Limit: limit });
    if (page.Records?.length === 0) return records;
    records.push(...(page.Records ?? []));
    ShardIterator = page.NextShardIterator;
  }
}

const namesOf = (records: readonly ChangeRecord[]) =>
  records.map(({ dynamodb }) => dynamodb?.NewImage?.["pk"]?.S);

function entriesOf(storage: FolderStorage): string[] {
  const entries: string[] = [];
  storage.scan({ start: regions.streams, end: regions.tokens }, (_key, value) => {
    entries.push(value);
    return true;
  });
  return entries;
}

describe("the records of a stream in a folder", () => {
  test("are as they were committed, whatever is moved, trimmed, restored, closed and killed", async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = seededRandom(seed);
      let path = newFolder();
      const log = random.int(0, 2) === 0 ? undefined : random.int(600, 6000);
      let engine = await withStream(path, log);
      const { arn } = engine as Opened & { arn: string };
      /** What the stream must show: names and times, the numbers that were assigned, and how many were trimmed. */
      let expected: { pk: string; time: number }[] = [];
      let trimmed = 0;
      let saved: {
        point: Awaited<ReturnType<Checkpoints["take"]>>;
        expected: typeof expected;
        trimmed: number;
      }[] = [];
      for (let step = 0; step < 50; step++) {
        const action = random.int(0, 11);
        if (action < 6) {
          const names = Array.from({ length: random.int(1, 5) }, (_, at) => `${seed}-${step}-${at}`);
          await Promise.all(names.map((name) => put(engine, name)));
          expected.push(...names.map((pk) => ({ pk, time: clock.now() })));
        } else if (action === 6) {
          clock.jump(random.int(1, 10) * hour);
        } else if (action === 7) {
          await trimStreams(engine.database, never);
          while ((expected[trimmed]?.time ?? Number.POSITIVE_INFINITY) <= clock.now() - 24 * hour) trimmed++;
        } else if (action === 8) {
          saved.push({ point: await engine.checkpoints.take(), expected: [...expected], trimmed });
        } else if (action === 9 && saved.length > 0) {
          const at = saved[random.int(0, saved.length - 1)];
          if (at === undefined) continue;
          await engine.checkpoints.restore(at.point);
          ({ trimmed } = at);
          expected = [...at.expected];
        } else if (action >= 10) {
          const killed = newFolder();
          if (action === 10) await engine.storage.close();
          else cpSync(path, killed, { recursive: true });
          if (action === 11) {
            await engine.storage.close();
            rmSync(join(killed, "owner.json"), { force: true });
            path = killed;
          }
          engine = { ...(await opened(path, log)), arn } as typeof engine;
          saved = [];
        }
        const all = await read(engine, arn, random.int(1, 20));
        expect(namesOf(all)).toEqual(expected.slice(trimmed).map(({ pk }) => pk));
        const from = random.int(0, Math.max(0, all.length - 1));
        const after = all[from]?.dynamodb?.SequenceNumber;
        if (after !== undefined)
          expect(await read(engine, arn, random.int(1, 20), after)).toEqual(all.slice(from + 1));
        const numbers = all.map(({ dynamodb }) => Number(dynamodb?.SequenceNumber?.slice(-12)));
        expect(numbers).toEqual(numbers.map((_, at) => trimmed + 1 + at));
      }
      await engine.storage.close();
    }
  });

  const series = `${regions.streams}abcd`;
  const record = (number: number) => `${number}|${"x".repeat(500)}`;
  const add = (storage: FolderStorage, number: number) =>
    storage.commit(new Map([[seriesKey(series, number), encodeRecords([record(number)])]]));
  const recordsFrom = (storage: FolderStorage, from: number) => {
    const found: [number, string][] = [];
    scanSeries(storage, series, from, (number, text) => found.push([number, text]) > 0);
    return found;
  };
  const records = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => [from + at, record(from + at)]);

  test("of several commits share an entry once they are moved to the database", async () => {
    const storage = await FolderStorage.open(newFolder());
    for (let number = 1; number <= 300; number++) add(storage, number);
    expect(entriesOf(storage)).toHaveLength(300);
    // Moves everything first.
    await storage.copyTo(emptyFolder());
    const entries = entriesOf(storage);
    expect(entries.length).toBeLessThan(10);
    expect(Math.max(...entries.map(({ length }) => length))).toBeLessThan(33 * 1024);
    for (const from of [0, 1, 7, 64, 300])
      expect(recordsFrom(storage, from)).toEqual(records(from || 1, 300));
    expect(recordsFrom(storage, 301)).toEqual([]);
    await storage.close();
  });

  test("of one commit are divided among entries if they are long", async () => {
    const engine = await withStream(newFolder());
    const text = "x".repeat(1000);
    const puts = Array.from({ length: 200 }, (_, at) =>
      engine.port.putItem({ TableName: "things", Item: { pk: { S: `many ${at}` }, text: { S: text } } }),
    );
    await Promise.all(puts);
    const lengths = entriesOf(engine.storage).map(({ length }) => length);
    expect(lengths.length).toBeGreaterThan(5);
    expect(Math.max(...lengths)).toBeLessThan(34 * 1024);
    const found = await read(engine, engine.arn, 1000);
    expect(found.map(({ dynamodb }) => dynamodb?.Keys?.["pk"]?.S)).toEqual(puts.map((_, at) => `many ${at}`));
    await engine.storage.close();
  });

  test("do not share an entry if a checkpoint could separate them", async () => {
    const storage = await FolderStorage.open(newFolder());
    add(storage, 1);
    const point = storage.checkpoint();
    add(storage, 2);
    await storage.copyTo(emptyFolder());
    storage.restore(point);
    expect(recordsFrom(storage, 0)).toEqual(records(1, 1));
    await storage.close();
  });

  test("do not share an entry if the same transaction removes some of them", async () => {
    const storage = await FolderStorage.open(newFolder(), { maxLogBytes: 4000 });
    add(storage, 1);
    add(storage, 2);
    // Too long for the log: moved together with the records.
    storage.commit(
      new Map<string, string | undefined>([
        [seriesKey(series, 1), undefined],
        ["other", "y".repeat(5000)],
      ]),
    );
    expect(recordsFrom(storage, 0)).toEqual(records(2, 2));
    await storage.close();
  });

  test("are trimmed one by one, also within an entry", async () => {
    const path = newFolder();
    const first = await withStream(path);
    const committed = put(first, "old");
    clock.jump(12 * hour);
    await Promise.all([committed, put(first, "young")]);
    await first.storage.close();
    const engine = await opened(path);
    expect(entriesOf(engine.storage)).toHaveLength(1);
    const [old] = await read(engine, first.arn, 10);
    clock.jump(12 * hour);
    await trimStreams(engine.database, never);
    expect(namesOf(await read(engine, first.arn, 10))).toEqual(["young"]);
    const after = read(engine, first.arn, 10, old?.dynamodb?.SequenceNumber);
    expect(await rejectionOf(after)).toContain("TrimmedDataAccessException");
    clock.jump(12 * hour);
    await trimStreams(engine.database, never);
    expect(entriesOf(engine.storage)).toEqual([]);
    await put(engine, "next");
    const [next] = await read(engine, first.arn, 10);
    expect(next?.dynamodb?.SequenceNumber?.slice(-12)).toBe("000000000003");
    await engine.storage.close();
  });

  test("are read if an earlier version wrote them, one to an entry and counted apart", async () => {
    const path = newFolder();
    const first = await withStream(path);
    await put(first, "one");
    await put(first, "two");
    const id = first.database.streams.get(first.arn).id;
    const records = await read(first, first.arn, 10);
    const former = entriesOf(first.storage).map((entry) => entry.slice(entry.indexOf(",") + 1));
    const keys = [1, 2].map((number) => `${regions.streams}${id}${number.toString(16).padStart(12, "0")}`);
    const count = [`${regions.meta}stream-count/${id}`, "2"] as const;
    first.storage.commit(new Map([...keys.map((key, at) => [key, former[at]] as const), count]));
    await first.storage.close();
    writeFileSync(join(path, "format.json"), '{"format":"2"}\n');
    const engine = await opened(path);
    expect(await read(engine, first.arn, 1)).toEqual(records);
    await put(engine, "three");
    expect(namesOf(await read(engine, first.arn, 2))).toEqual(["one", "two", "three"]);
    await engine.storage.close();
  });
});
