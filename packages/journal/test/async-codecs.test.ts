import { Readable } from "node:stream";
import { ensureTable } from "@tablekeep/client";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import {
  type Codec,
  type Codecs,
  createCodecs,
  type JournalOptions,
  openJournal,
  openSnapshots,
  snapshotTableSpec,
  unwrap,
} from "../src/index.ts";
import { exportEvents, importEvents, migrateJournal, verifyJournal } from "../src/tools/index.ts";
import { collect, engineWith, layouts, range } from "./journal-world.ts";

const id = 9_100;

/** A turn of the event loop: longer than any promise that is there. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Waits for some turns before each result, fewer for each next call, so that results come in another order. */
function slowCodec(): Codec & { inFlight: number; most: number } {
  let calls = 0;
  const codec = {
    id,
    inFlight: 0,
    most: 0,
    async encode(payload: unknown) {
      for (let left = 5 - (calls++ % 5); left > 0; left--) await turn();
      return Buffer.from(JSON.stringify(payload));
    },
    async decode(bytes: Uint8Array) {
      codec.most = Math.max(codec.most, ++codec.inFlight);
      for (let left = 5 - (calls++ % 5); left > 0; left--) await turn();
      codec.inFlight--;
      return JSON.parse(Buffer.from(bytes).toString()) as unknown;
    },
  };
  return codec;
}

/** Codecs that write everything by one codec. */
function by(codec: Codec, choice: (payload: unknown) => boolean = () => true): Codecs {
  const choose = (payload: unknown) => (choice(payload) ? { serializerId: id } : undefined);
  return createCodecs({ codecs: [codec], choose, compression: { minBytes: 200 } });
}

const events = (count: number) => range(1, count).map((n) => ({ payload: { n, text: "x".repeat(n * 10) } }));

describe.each(layouts)("asynchronous codecs in the %s layout", (layout) => {
  const options: JournalOptions = { layout, table: "events" };

  test("keep the order of events, with a bounded number in flight", async () => {
    const port = await engineWith(options);
    const codec = slowCodec();
    const journal = await openJournal(port, { ...options, codecs: by(codec) });
    const { writer } = await journal.load("a");
    unwrap(await writer.append(events(40).map((event) => ({ ...event, metadata: event.payload }))));
    const both = await Promise.all([writer.append(events(1)), writer.append(events(2))]);
    expect(both.map(unwrap)).toEqual([
      { first: 41, last: 41 },
      { first: 42, last: 43 },
    ]);
    const read = await collect(journal.replay("a"));
    expect(read.map(({ sequenceNr }) => sequenceNr)).toEqual(range(1, 43));
    expect(read.slice(0, 40).map(({ payload }) => payload)).toEqual(events(40).map(({ payload }) => payload));
    expect(read.slice(0, 40).map(({ metadata }) => metadata)).toEqual(
      events(40).map(({ payload }) => payload),
    );
    expect(read[0]).toMatchObject({ serializerId: id });
    expect(codec.most).toBeGreaterThan(2);
    // Payload and metadata of each.
    expect(codec.most).toBeLessThanOrEqual(32);
    const { events: loaded } = await journal.load("a");
    expect(await collect(loaded)).toEqual(read);
    const live = await collect(journal.eventsById("a", { to: 43 }));
    expect(live).toEqual(read);
  });

  test("may be mixed with synchronous ones", async () => {
    const port = await engineWith(options);
    const codecs = by(slowCodec(), (payload) => (payload as { n: number }).n % 3 === 0);
    const journal = await openJournal(port, { ...options, codecs });
    unwrap(await journal.append("a", events(30)));
    const stream = journal.replay("a")[Symbol.asyncIterator]();
    // Calls that overlap are answered in order.
    const read = await Promise.all(range(1, 31).map(() => stream.next()));
    expect(read.map(({ value }) => value?.sequenceNr)).toEqual([...range(1, 30), undefined]);
    expect(read.slice(0, 30).map(({ value }) => value?.payload)).toEqual(
      events(30).map(({ payload }) => payload),
    );
  });

  test("a rejected promise is the error that a throw is", async () => {
    const port = await engineWith(options);
    const failing = (where: "encode" | "decode", how: "throws" | "rejects"): Codecs => {
      const fail = (payload: unknown) => {
        const error = new Error("no");
        if ((payload as { n?: number }).n === 2 || payload instanceof Uint8Array) {
          if (how === "throws") throw error;
          return Promise.reject(error);
        }
        return Buffer.from(JSON.stringify(payload));
      };
      return by({
        id,
        encode: where === "encode" ? fail : (payload) => Buffer.from(JSON.stringify(payload)),
        decode: where === "decode" ? fail : (bytes) => JSON.parse(Buffer.from(bytes).toString()),
      });
    };
    const outcomes = [];
    for (const how of ["throws", "rejects"] as const) {
      const journal = await openJournal(port, { ...options, codecs: failing("encode", how) });
      const writer = await journal.recover("a");
      outcomes.push(await writer.append(events(3)));
      expect(await writer.appendEach(events(3))).toMatchObject([
        { kind: "ok" },
        { kind: "rejected" },
        { kind: "ok" },
      ]);
    }
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        kind: "rejected",
        error: { code: "JOURNAL_PAYLOAD_REFUSED", details: { serializerId: id }, cause: { message: "no" } },
      });
    for (const how of ["throws", "rejects"] as const) {
      const journal = await openJournal(port, { ...options, codecs: failing("decode", how) });
      await expect(collect(journal.replay("a"))).rejects.toMatchObject({
        code: "JOURNAL_PAYLOAD_CORRUPT",
        details: { serializerId: id },
        cause: { message: "no" },
      });
    }
  });

  test("an append or a replay that waits for a codec ends at its deadline or when it is aborted", async () => {
    const port = await engineWith(options);
    const plain = await openJournal(port, { ...options, codecs: by(slowCodec()) });
    unwrap(await plain.append("a", events(2)));
    const clock = fakeClock();
    const never = new Promise<never>(() => {});
    const codecs = by({ id, encode: () => never, decode: () => never });
    const journal = await openJournal(port, { ...options, codecs, clock });
    const writer = await journal.recover("a");
    const late = writer.append(events(1), { deadlineMs: 500 });
    const slow = collect(journal.replay("a", { deadlineMs: 500 })).catch((error: unknown) => error);
    for (let turns = 0; turns < 50; turns++) await turn();
    await clock.advance(500);
    expect(await late).toMatchObject({ kind: "rejected", error: { code: "CLIENT_DEADLINE_EXCEEDED" } });
    expect(await slow).toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED" });
    const abort = new AbortController();
    const { signal } = abort;
    const ended = writer.append(events(1), { signal });
    const stopped = collect(journal.replay("a", { signal })).catch((error: unknown) => error);
    const quiet = collect(journal.eventsById("a", { signal }));
    for (let turns = 0; turns < 50; turns++) await turn();
    abort.abort();
    expect(await ended).toMatchObject({ kind: "rejected", error: { code: "CLIENT_ABORTED" } });
    expect(await stopped).toMatchObject({ code: "CLIENT_ABORTED" });
    expect(await quiet).toEqual([]);
    // Nothing of these appends was stored, and the writer is as it was.
    expect(await plain.highestSequenceNr("a")).toBe(2);
    expect(writer.highestSequenceNr).toBe(2);
  });

  test("exports, imports and migrations do not decode; verify does", async () => {
    const target: JournalOptions = { layout: layout === "packed" ? "bucketed" : "packed", table: "target" };
    const third: JournalOptions = { layout, table: "third" };
    const port = await engineWith(options, target, third);
    const journal = await openJournal(port, { ...options, codecs: by(slowCodec()) });
    unwrap(await journal.append("a", events(20)));
    const expected = await collect(journal.replay("a"));
    const failing = by({
      id,
      encode: () => Promise.reject(new Error("no")),
      decode: async () => Promise.reject(new Error("no")),
    });
    await migrateJournal({
      from: { port, journal: { ...options, codecs: failing } },
      to: { port, journal: { ...target, codecs: failing } },
    });
    const lines = await collect(exportEvents(port, { ...options, codecs: failing }));
    await importEvents(port, Readable.from(lines), { ...third, codecs: failing });
    for (const copy of [target, third]) {
      const copied = await openJournal(port, { ...copy, codecs: by(slowCodec()) });
      expect(await collect(copied.replay("a"))).toEqual(expected);
    }
    const findings = async (codecs: Codecs) =>
      (await collect(verifyJournal(port, { ...options, codecs }, { decode: true }))).length;
    expect(await findings(by(slowCodec()))).toBe(0);
    expect(await findings(failing)).toBe(20);
  });
});

describe("asynchronous codecs of snapshots", () => {
  test("save and load, in one item and in several", async () => {
    const port = await engineWith({ table: "events" });
    await ensureTable(port, snapshotTableSpec("snapshots"));
    const codecs = by(slowCodec());
    const snapshots = await openSnapshots(port, { codecs, maxItemSize: 4096, compression: "never" });
    for (const [sequenceNr, length] of [
      [1, 10],
      [2, 20_000],
    ] as const) {
      const state = { n: 1, text: Array.from({ length }, () => Math.random()) };
      await snapshots.save("a", sequenceNr, state, { metadata: { by: "test" } });
      expect(await snapshots.load("a")).toMatchObject({ sequenceNr, state, metadata: { by: "test" } });
    }
  });

  test("a rejected promise makes a snapshot unreadable; the deadline and a failing request do not", async () => {
    const clock = fakeClock();
    const port = await engineWith({ table: "events" });
    await ensureTable(port, snapshotTableSpec("snapshots"));
    await (await openSnapshots(port, { codecs: by(slowCodec()) })).save("a", 1, { n: 1 });
    const decoding = async (decode: () => Promise<unknown>) =>
      (await openSnapshots(port, { codecs: by({ id, decode }), clock, onUnreadable: "replay-all" })).load(
        "a",
      );
    expect(await decoding(() => Promise.reject(new Error("no")))).toBe(undefined);
    const late = decoding(() => new Promise(() => {})).catch((error: unknown) => error);
    for (let turns = 0; turns < 50; turns++) await turn();
    await clock.advance(10_000);
    expect(await late).toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED" });
  });
});
