import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import {
  type JournalOptions,
  journalTableSpec,
  type LayoutName,
  openJournal,
  unwrap,
} from "@tablekeep/journal";
import { compactJournal } from "@tablekeep/journal/tools";
import { describe, expect, test } from "vitest";
import { type Feed, type FeedEvent, openFeed, type ReadFeedOptions } from "../src/index.ts";

const layouts: readonly LayoutName[] = ["packed", "bucketed", "linear", "scattered"];

async function opened(journal: JournalOptions) {
  const port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, journalTableSpec(journal));
  return {
    port,
    journal: await openJournal(port, journal),
    feed: await openFeed(port, { journal, slices: 4 }),
  };
}

async function readAll(feed: Feed, options: ReadFeedOptions = {}): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for await (const event of feed.read(options)) events.push(event);
  return events;
}

function byId(events: readonly FeedEvent[]): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const { persistenceId, sequenceNr } of events)
    found[persistenceId] = [...(found[persistenceId] ?? []), sequenceNr];
  return found;
}

describe.each(layouts)("a feed of a journal of layout %s", (layout) => {
  test("has every event once, those of an id in order, by dense offsets", async () => {
    const { port, journal, feed } = await opened({ table: "events", layout });
    const expected: Record<string, number[]> = {};
    for (let round = 0; round < 3; round++) {
      for (const id of ["cart|1", "cart|2", "account|1", "account|2", "account|3"]) {
        const writer = await journal.recover(id);
        unwrap(await writer.append({ payload: { round } }));
        unwrap(await writer.append([{ payload: 1 }, { payload: 2, tags: ["even"] }, { payload: 3 }]));
        expected[id] = Array.from({ length: (round + 1) * 4 }, (_unused, at) => at + 1);
      }
      await feed.catchUp();
      expect(byId(await readAll(feed))).toEqual(expected);
    }
    const all = await readAll(feed);
    for (const slice of [0, 1, 2, 3]) {
      const offsets = all.filter((event) => event.slice === slice).map(({ offset }) => offset);
      expect(offsets).toEqual(offsets.map((_offset, at) => at));
    }
    const { findings, writes } = await feed.verify();
    expect({ findings, writes }).toEqual({ findings: [], writes: 30 });
    await port.close();
  });

  test("has what a journal had before the feed, and what is appended after", async () => {
    const { port, journal, feed } = await opened({ table: "events", layout });
    for (const id of ["a", "b", "c"]) unwrap(await journal.append(id, [{ payload: 1 }, { payload: 2 }]));
    await feed.catchUp();
    unwrap(await journal.append("a", { payload: 3 }));
    await feed.catchUp();
    await feed.catchUp();
    expect(byId(await readAll(feed))).toEqual({ a: [1, 2, 3], b: [1, 2], c: [1, 2] });
    await port.close();
  });

  test("has staged writes once they are committed", async () => {
    const { port, journal, feed } = await opened({ table: "events", layout, maxItemSize: 5000 });
    await feed.catchUp();
    const large = Array.from({ length: 150 }, (_unused, at) => ({ payload: `${at}`.padEnd(3000, "x") }));
    unwrap(await journal.append("big", large));
    unwrap(await journal.append("big", { payload: "after" }));
    await feed.catchUp();
    const numbers = Array.from({ length: 151 }, (_unused, at) => at + 1);
    expect(byId(await readAll(feed))).toEqual({ big: numbers });
    expect((await feed.verify()).findings).toEqual([]);
    await port.close();
  });

  test("shows the events of an id that begins again, and none of those that are purged", async () => {
    const { port, journal, feed } = await opened({ table: "events", layout });
    unwrap(await journal.append("a", [{ payload: "old 1" }, { payload: "old 2" }]));
    await feed.catchUp();
    await journal.purge("a");
    unwrap(await journal.append("a", { payload: "new 1" }));
    await feed.catchUp();
    expect((await readAll(feed)).map(({ payload }) => payload)).toEqual(["new 1"]);
    const { slices } = await feed.status();
    expect(slices.reduce((total, { events }) => total + events, 0)).toBe(3);
    await port.close();
  });
});

describe("reading a feed", () => {
  test("filters by type, tag and slices, and continues after any position", async () => {
    const { port, journal, feed } = await opened({ table: "events", layout: "packed" });
    for (let id = 0; id < 20; id++) {
      unwrap(await journal.append(`cart|${id}`, [{ payload: id }, { payload: id, tags: ["second"] }]));
      unwrap(await journal.append(`account|${id}`, { payload: id, tags: ["account"] }));
    }
    await feed.catchUp();
    expect(await readAll(feed, { type: "cart" })).toHaveLength(40);
    expect((await readAll(feed, { tag: "second" })).map(({ sequenceNr }) => sequenceNr)).toEqual(
      Array(20).fill(2),
    );
    const halves = [
      await readAll(feed, { slices: { from: 0, to: 299 } }),
      await readAll(feed, { slices: { from: 300, to: 1023 } }),
    ];
    expect(halves.flat()).toHaveLength(60);
    const all = await readAll(feed);
    const names = all.map(({ persistenceId, sequenceNr }) => `${persistenceId}#${sequenceNr}`);
    for (const at of [0, 7, 30, 59]) {
      const rest = await readAll(feed, { from: all[at]?.position ?? "" });
      const found = [
        ...names.slice(0, at + 1),
        ...rest.map((event) => `${event.persistenceId}#${event.sequenceNr}`),
      ];
      expect(found.toSorted()).toEqual(names.toSorted());
    }
    await port.close();
  });

  test("follows new events until the signal aborts", async () => {
    const { port, journal, feed } = await opened({ table: "events", layout: "packed" });
    const stop = new AbortController();
    const running = feed.run({ signal: stop.signal });
    await feed.catchUp();
    const found: unknown[] = [];
    const following = (async () => {
      for await (const { payload } of feed.read({ live: true, signal: stop.signal })) {
        found.push(payload);
        if (found.length === 3) stop.abort();
      }
    })();
    for (const payload of [1, 2, 3]) unwrap(await journal.append("a", { payload }));
    await following;
    await running;
    expect(found).toEqual([1, 2, 3]);
    await port.close();
  });

  test("has a position before the last events of each slice, whatever pages they are in", async () => {
    const { port, journal, feed } = await opened({ table: "events", layout: "packed" });
    await feed.catchUp();
    expect(await readAll(feed, { from: await feed.position({ last: 3 }) })).toEqual([]);
    for (const [round, ids] of [["a"], ["b", "a", "c"], ["d"], ["a", "b", "c", "d", "e"]].entries()) {
      for (const id of ids) unwrap(await journal.append(id, [{ payload: round }, { payload: id }]));
      await feed.catchUp();
    }
    const all = await readAll(feed);
    for (const last of [1, 2, 3, 4, 5, 9, 20, 1_000]) {
      const read = await readAll(feed, { from: await feed.position({ last }) });
      for (const slice of [0, 1, 2, 3]) {
        const offsets = (events: typeof all) =>
          events.flatMap((each) => (each.slice === slice ? [each.offset] : []));
        expect(offsets(read)).toEqual(offsets(all).slice(-last));
      }
    }
    await port.close();
  });

  test("has a position for its start, its end and a time", async () => {
    const { port, journal, feed } = await opened({ table: "events", layout: "packed" });
    unwrap(await journal.append("a", { payload: 1 }));
    await feed.catchUp();
    const [start, end] = [await feed.position("start"), await feed.position("end")];
    const past = await feed.position(new Date(0));
    unwrap(await journal.append("a", { payload: 2 }));
    unwrap(await journal.append("b", { payload: 3 }));
    await feed.catchUp();
    expect(byId(await readAll(feed, { from: end }))).toEqual({ a: [2], b: [1] });
    expect(byId(await readAll(feed, { from: start }))).toEqual({ a: [1, 2], b: [1] });
    expect(past).toBe(start);
    expect(await feed.position(end)).toBe(end);
    for (const last of [0, 1_001, 1.5, "2", Number.NaN])
      await expect(feed.position({ last } as never)).rejects.toMatchObject({
        code: "FEED_OPTION_INVALID",
      });
    const invalid = { code: "FEED_OPTION_INVALID", details: { option: "from" } };
    for (const wrong of [undefined, "", new Date(Number.NaN)])
      await expect(feed.position(wrong as never)).rejects.toMatchObject(invalid);
    await expect(feed.position("nowhere")).rejects.toMatchObject({ code: "FEED_POSITION_INVALID" });
    await port.close();
  });

  test("finds events again that a compaction has moved, and leaves out deleted ones", async () => {
    const { port, journal, feed } = await opened({ table: "events", layout: "packed" });
    for (let payload = 1; payload <= 9; payload++) unwrap(await journal.append("a", { payload }));
    await feed.catchUp();
    await journal.deleteTo("a", 2);
    await compactJournal(port, { table: "events", layout: "packed" });
    await feed.catchUp();
    expect((await readAll(feed)).map(({ payload }) => payload)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect((await feed.verify()).findings).toEqual([]);
    await port.close();
  });

  test("rejects positions of another generation, and what is not a position", async () => {
    const { port, journal, feed } = await opened({ table: "events", layout: "packed" });
    await expect(readAll(feed)).rejects.toMatchObject({ code: "FEED_UNKNOWN" });
    await feed.create();
    await feed.create();
    expect(await readAll(feed)).toEqual([]);
    unwrap(await journal.append("a", { payload: 1 }));
    await feed.catchUp();
    const [event] = await readAll(feed);
    const position = event?.position ?? "";
    await expect(readAll(feed, { from: position.replace(/^1/, "2") })).rejects.toMatchObject({
      code: "FEED_POSITION_OUTDATED",
      details: { generation: 2, current: 1 },
    });
    await expect(readAll(feed, { from: "nonsense" })).rejects.toMatchObject({
      code: "FEED_POSITION_INVALID",
    });
    await expect(readAll(feed, { from: "1.AAAA" })).rejects.toMatchObject({ code: "FEED_POSITION_INVALID" });
    // Of a feed that had more, before its table was restored.
    for (const [page, skip] of [
      [2, 0],
      [1, 1],
    ] as const) {
      const cursors = [4, page, skip, 0, 0, 0, 0, 0, 0];
      const from = `1.${Buffer.from(cursors).toString("base64url")}`;
      await expect(readAll(feed, { from })).rejects.toMatchObject({ code: "FEED_POSITION_INVALID" });
    }
    expect(await readAll(feed, { from: position })).toEqual([]);
    await port.close();
  });

  test("rejects positions of a feed that was restored and filled again", async () => {
    const [one, other] = [
      await opened({ table: "events", layout: "packed" }),
      await opened({ table: "events", layout: "packed" }),
    ];
    const positions: string[][] = [];
    for (const { journal, feed } of [one, other]) {
      const found: string[] = [];
      for (const ids of [
        ["a", "b", "c"],
        ["c", "a"],
      ]) {
        for (const id of ids) unwrap(await journal.append(id, [{ payload: 1 }, { payload: 2 }]));
        await feed.catchUp();
        found.push(await feed.position("end"));
      }
      for (const { position } of await readAll(feed)) found.push(position);
      positions.push(found, [await feed.position({ last: 1 })]);
    }
    for (const [at, position] of positions.flat().entries()) {
      const isOwn = at < positions.flat().length / 2;
      const [own, foreign] = isOwn ? [one.feed, other.feed] : [other.feed, one.feed];
      const rest = await readAll(own, { from: position });
      expect(await own.position(position)).toBe(position);
      await expect(readAll(foreign, { from: position })).rejects.toMatchObject({
        code: "FEED_POSITION_INVALID",
      });
      // A position without the checksum, as earlier versions made them.
      const [generation, encoded = ""] = position.split(".");
      const bytes = Buffer.from(encoded, "base64url");
      const short = `${generation}.${bytes.subarray(0, 1 + 2 * (bytes[0] ?? 0)).toString("base64url")}`;
      expect(await readAll(own, { from: short })).toEqual(rest);
    }
    await one.port.close();
    await other.port.close();
  });

  test("rejects wrong options of every call", async () => {
    const { port, feed } = await opened({ table: "events", layout: "packed" });
    await feed.create();
    const call = { deadlineMs: Number.NaN };
    const wrong: readonly [string, () => Promise<unknown>][] = [
      ["from", async () => readAll(feed, { from: new Date("yesterday") })],
      ["options", () => feed.run(undefined as never)],
      ["signal", () => feed.run({} as never)],
      ["onProgress", () => feed.catchUp({ onProgress: 1 as never })],
      ["onProgres", () => feed.verify({ onProgres: () => {} } as never)],
      ["slices", () => feed.rebuild({ slices: 3 })],
      ["deadlineMs", () => feed.status(call)],
      ["deadlineMs", () => feed.create(call)],
      ["deadlineMs", () => feed.requestSweep(call)],
      ["signal", () => feed.removeOld({ signal: null as never })],
    ];
    for (const [option, run] of wrong)
      await expect(run(), option).rejects.toMatchObject({ code: "FEED_OPTION_INVALID", details: { option } });
    await port.close();
  });
});
