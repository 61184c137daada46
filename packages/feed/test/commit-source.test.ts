import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, sleep, wrapPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { openJournalChanges } from "@tablekeep/journal/changes";
import { type FakeClock, fakeClock, seededRandom } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { ensureStream, openFeed, openStreamSource } from "../src/index.ts";
import { commitSource } from "../src/stream/commit-source.ts";

const tableName = "events";
const ids = ["a", "b", "c"];

interface World extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly engine: Engine;
  /** Appends an event to each id. */
  append(): Promise<void>;
}

async function newWorld(): Promise<World> {
  const clock = fakeClock();
  const engine = await openEngine({ storage: { kind: "memory" }, clock });
  await ensureTable(engine, journalTableSpec());
  const journal = await openJournal(engine, { clock });
  return {
    clock,
    engine,
    async append() {
      for (const id of ids) unwrap(await journal.append(id, { payload: id }));
    },
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

type Watch = NonNullable<DynamoPort["watchStream"]>;

/** Reads what a source returns while events are appended: the writes, and how many batches had some. */
async function readWrites(
  { clock, engine, append }: World,
  rounds: number,
  { watch, maxWaiting, pauseMs = 100 }: { watch: Watch; maxWaiting?: number; pauseMs?: number },
): Promise<string[]> {
  await ensureStream(engine, tableName, "NEW_IMAGE", { clock });
  const { writesOf } = await openJournalChanges(engine, { clock });
  const pace = { pollMs: 20, maxPollMs: 50, readsPerSecond: Number.POSITIVE_INFINITY, emptyReadsAtEnd: 1 };
  const stream = await openStreamSource(engine, { tableName, needs: "image", clock, ...pace });
  const settings = {
    watch,
    clock,
    linger: () => 50,
    streamMs: 5000,
    ...(maxWaiting !== undefined && { maxWaiting }),
  };
  const source = commitSource(stream, settings);
  const stop = new AbortController();
  const found: string[] = [];
  const last = new Map<string, bigint>();
  const reading = (async () => {
    for await (const { records, positions } of source.read(new Map(), { signal: stop.signal, writesOf })) {
      for (const record of records) {
        expect(record.sequence).toBeGreaterThan(last.get(record.shard) ?? 0n);
        last.set(record.shard, record.sequence);
        const writes = record.writes ?? writesOf(record);
        found.push(...writes.map(({ persistenceId, first }) => `${persistenceId}${first}`));
      }
      for (const [shard, { sequence = 0n }] of positions) {
        expect(sequence).toBeGreaterThanOrEqual(last.get(shard) ?? 0n);
        last.set(shard, sequence);
      }
    }
  })();
  for (let round = 0; round < rounds; round++) {
    await append();
    if (pauseMs > 0) await sleep(clock, pauseMs);
  }
  await sleep(clock, 20_000);
  stop.abort();
  await reading;
  return found;
}

const all = (rounds: number) =>
  Array.from({ length: rounds }, (_unused, at) => ids.map((id) => `${id}${at + 1}`)).flat();

test("what is reported is not read from the stream again", async () => {
  await using world = await newWorld();
  const { engine, clock, append } = world;
  let reads = 0;
  const counting = wrapPort(engine, (operation, input, options, next) => {
    if (operation === "GetRecords") reads++;
    return next(operation, input, options);
  });
  const { watchStream } = engine;
  const feed = await openFeed({ ...counting, ...(watchStream && { watchStream }) }, { clock });
  await clock.autoAdvance(async () => {
    const stop = new AbortController();
    const running = feed.run({ signal: stop.signal });
    // Until the reports continue what was read.
    for (let round = 0; round < 10; round++) {
      await append();
      await sleep(clock, 1000);
    }
    reads = 0;
    for (let round = 0; round < 100; round++) {
      await append();
      await sleep(clock, 100);
    }
    await sleep(clock, 1000);
    expect(reads).toBeLessThan(5);
    const { slices } = await feed.status();
    expect(slices.reduce((sum, { events }) => sum + events, 0)).toBe(330);
    stop.abort();
    await running;
    expect((await feed.verify()).findings).toEqual([]);
  });
});

test.each([1, 2, 3])(
  "reports that are lost are read from the stream, each once and in order (seed %i)",
  async (seed) => {
    await using world = await newWorld();
    const { clock, engine } = world;
    const random = seededRandom(seed);
    let lost = 0;
    const watch: Watch = (arn, listener) =>
      (engine.watchStream as Watch)(arn, (change) => {
        if (random.int(1, 20) === 1) lost++;
        else listener(change);
      });
    const found = await clock.autoAdvance(() => readWrites(world, 100, { watch }));
    expect(found).toEqual(all(100));
    expect(lost).toBeGreaterThan(3);
  },
);

test("more reports than may wait are read from the stream", async () => {
  await using world = await newWorld();
  const watch = world.engine.watchStream as Watch;
  const found = await world.clock.autoAdvance(() =>
    readWrites(world, 60, { watch, maxWaiting: 20, pauseMs: 10 }),
  );
  expect(found).toEqual(all(60));
});

test("a stream that is disabled and enabled again while reports are read is followed by a sweep", async () => {
  await using world = await newWorld();
  const { clock, engine, append } = world;
  await clock.autoAdvance(async () => {
    const feed = await openFeed(engine, { clock });
    const stop = new AbortController();
    const running = feed.run({ signal: stop.signal });
    for (let round = 0; round < 5; round++) {
      await append();
      await sleep(clock, 2000);
    }
    await engine.updateTable({ TableName: tableName, StreamSpecification: { StreamEnabled: false } });
    await append();
    await ensureStream(engine, tableName, "NEW_IMAGE", { clock });
    await append();
    await sleep(clock, 120_000);
    const { slices } = await feed.status();
    expect(slices.reduce((sum, { events }) => sum + events, 0)).toBe(21);
    expect((await feed.verify()).findings).toEqual([]);
    stop.abort();
    await running;
  });
});

test("an event that comes alone reaches a live reader at once", async () => {
  await using world = await newWorld();
  const { clock, engine, append } = world;
  await clock.autoAdvance(async () => {
    const feed = await openFeed(engine, { clock });
    const stop = new AbortController();
    const running = feed.run({ signal: stop.signal });
    for (let round = 0; round < 5; round++) {
      await append();
      await sleep(clock, 2000);
    }
    const seen: number[] = [];
    const reading = (async () => {
      for await (const _event of feed.read({ live: true, from: "end", signal: stop.signal }))
        seen.push(clock.monotonic());
    })();
    await sleep(clock, 10_000);
    const appendedAt = clock.monotonic();
    await append();
    await sleep(clock, 1000);
    // The first at once; those that follow it share a page after the wait for further ones.
    expect(seen).toHaveLength(3);
    expect((seen[0] ?? 0) - appendedAt).toBeLessThan(20);
    expect((seen[2] ?? 0) - appendedAt).toBeLessThanOrEqual(100);
    stop.abort();
    await Promise.all([running, reading]);
  });
});

test("an engine with simulated behavior reports nothing: its streams show changes in another order", async () => {
  await using engine = await openEngine({
    storage: { kind: "memory" },
    behavior: { streams: { shards: 2 } },
  });
  expect(engine.watchStream).toBeUndefined();
});

test.each([0, 20, 1000])(
  "an engine that is restored while a feed runs loses no later event (%i ms after the last one)",
  async (pauseMs) => {
    await using world = await newWorld();
    const { engine, clock, append } = world;
    const warnings: unknown[] = [];
    const ignore = () => undefined;
    const warn = (_message: string, { error }: { readonly error?: unknown } = {}) =>
      void warnings.push(error);
    const logger = { debug: ignore, info: ignore, warn, error: ignore };
    const feed = await openFeed(engine, { clock, logger });
    await clock.autoAdvance(async () => {
      const stop = new AbortController();
      const running = feed.run({ signal: stop.signal });
      await append();
      await sleep(clock, 20_000);
      const checkpoint = await engine.checkpoint();
      await append();
      await append();
      await sleep(clock, pauseMs);
      await engine.restore(checkpoint);
      const journal = await openJournal(engine, { clock });
      // As many as were lost, and more: their numbers in the stream are used again.
      for (let at = 0; at < 12; at++) unwrap(await journal.append("later", { payload: at }));
      await sleep(clock, 20_000);
      stop.abort();
      await running;
      expect(warnings).toMatchObject([{ code: "FEED_STREAM_RESTORED" }]);
      expect((await feed.verify()).findings).toEqual([]);
      const found: string[] = [];
      for await (const { persistenceId, sequenceNr } of feed.read())
        found.push(`${persistenceId}${sequenceNr}`);
      const later = Array.from({ length: 12 }, (_unused, at) => `later${at + 1}`);
      expect(found.toSorted()).toEqual([...all(1), ...later].sort());
    });
  },
);
