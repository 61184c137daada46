import { maxTransactActions } from "@tablekeep/client";
import type { CallOptions, TransactWriteItem } from "@tablekeep/core";
import { faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveJournalOptions } from "../../src/context/journal-options.ts";
import { layoutOf } from "../../src/layouts/layout-of.ts";
import { engineFor, faultWorld, itemsOf, named, staging, table } from "./fault-world.ts";

/** How many events are there before, and how many are written: one, one with a mark, an atomic write, a staged one. */
const writes: readonly (readonly [name: string, before: number, size: number])[] = [
  ["one event", 3, 1],
  ["the first event of an id", 0, 1],
  ["a multiple of 100", 99, 1],
  ["an atomic write", 98, 3],
  ["a staged write", 2, 101],
];

describe.each(named)("%s: what is written along", (_name, options) => {
  let port: Awaited<ReturnType<typeof engineFor>>["port"];
  beforeAll(async () => {
    ({ port } = await engineFor(options));
  });
  afterAll(() => port.close());
  const layout = layoutOf(resolveJournalOptions(options));
  const ownItem = (name: string, bytes = 0): TransactWriteItem => ({
    Put: {
      TableName: table,
      Item: { ...layout.eventKey(name, 1), mine: { S: name }, filling: { B: new Uint8Array(bytes) } },
      ConditionExpression: "attribute_not_exists(mine)",
    },
  });
  const stored = async (name: string) => (await itemsOf(port, name)).length;
  const events = (size: number) => Array.from({ length: size }, () => ({ payload: "x" }));

  /** A writer of an id that has so many events. */
  async function writerAfter(before: number) {
    const { id, open } = faultWorld(port, options);
    const journal = await open(port);
    const writer = await journal.recover(id);
    if (before > 0) expect(await writer.append(events(before))).toMatchObject({ kind: "ok" });
    return { id, open, journal, writer };
  }

  test.each(writes)("is written with %s, or neither is", async (_write, before, size) => {
    const { id, journal, writer } = await writerAfter(before);
    const [mine, other] = [`${id}mine`, `${id}other`];
    expect(await writer.append(events(size), { alsoWrite: [ownItem(mine)] })).toMatchObject({
      kind: "ok",
      value: { first: before + 1 },
    });
    expect(await stored(mine)).toBe(1);
    const again = await writer.append(events(size), { alsoWrite: [ownItem(other), ownItem(mine)] });
    expect(again).toMatchObject({
      kind: "rejected",
      error: { code: "JOURNAL_ALSO_WRITE_REJECTED", ambiguous: false },
    });
    expect(await stored(other)).toBe(0);
    expect(await journal.highestSequenceNr(id)).toBe(before + size);
    // The writer continues: it is not superseded.
    expect(await writer.appendEach([events(size), { payload: "z" }])).toMatchObject([
      { kind: "ok", value: { first: before + size + 1 } },
      { kind: "ok" },
    ]);
  });

  test.each(writes)("is not the cause if another was first with %s", async (_write, before, size) => {
    const { id, open, writer } = await writerAfter(before);
    const mine = `${id}mine`;
    await port.transactWriteItems({ TransactItems: [ownItem(mine)] });
    const other = await (await open(port)).recover(id);
    expect(await other.append({ payload: "faster" })).toMatchObject({ kind: "ok" });
    // Both conditions fail: that of the caller's item, and that of the number.
    expect(await writer.append(events(size), { alsoWrite: [ownItem(mine)] })).toMatchObject({
      kind: "conflict",
      error: { code: "JOURNAL_CONFLICT" },
    });
  });

  test.each(writes)("is there once if the answer to %s is lost", async (_write, before, size) => {
    const { id, open } = await writerAfter(before);
    const mine = `${id}mine`;
    const faulty = faultyPort(port, "seed=1 faults=[{kind:lost-after-apply,op:TransactWriteItems,times:1}]");
    const writer = await (await open(faulty)).recover(id);
    expect(await writer.append(events(size), { alsoWrite: [ownItem(mine)] })).toMatchObject({
      kind: "ok",
      value: { first: before + 1, last: before + size },
    });
    expect(await stored(mine)).toBe(1);
  });

  test.each([0, 1, 2])(
    "is not an option of %d independent writes: it could be lost beside acknowledged ones",
    async (count) => {
      const { id, writer, journal } = await writerAfter(0);
      const mine = `${id}mine`;
      const writes = Array.from({ length: count }, () => events(1));
      const options = { alsoWrite: [ownItem(mine)] } as CallOptions;
      await expect(writer.appendEach(writes, options)).rejects.toMatchObject({
        code: "JOURNAL_OPTION_INVALID",
        details: { option: "alsoWrite" },
      });
      expect(await journal.highestSequenceNr(id)).toBe(0);
      expect(await stored(mine)).toBe(0);
      expect(await writer.appendEach([])).toEqual([]);
      expect(await writer.append([], { alsoWrite: [ownItem(mine)] })).toMatchObject({
        kind: "rejected",
        error: { code: "JOURNAL_EVENT_INVALID", details: { field: "events" } },
      });
      expect(await stored(mine)).toBe(0);
      expect(await writer.append(events(1), { alsoWrite: [ownItem(mine)] })).toMatchObject({ kind: "ok" });
      expect(await stored(mine)).toBe(1);
    },
  );

  test("of a write that cannot be stored is not written, and nothing else is", async () => {
    const { id, writer, journal } = await writerAfter(0);
    const mine = `${id}mine`;
    const large = { payload: "x".repeat(500_000) };
    const outcome = await writer.append([...events(1), large], { alsoWrite: [ownItem(mine)] });
    expect(outcome).toMatchObject({ kind: "rejected", error: { code: "JOURNAL_EVENT_TOO_LARGE" } });
    expect(await journal.highestSequenceNr(id)).toBe(0);
    expect(await stored(mine)).toBe(0);
  });

  test("may leave room for a few events only: the write is staged then", async () => {
    const { id, writer, journal } = await writerAfter(1);
    const alsoWrite = Array.from({ length: 90 }, (_unused, at) => ownItem(`${id}${at}.`));
    expect(await writer.append(events(20), { alsoWrite })).toMatchObject({
      kind: "ok",
      value: { first: 2, last: 21 },
    });
    expect((await itemsOf(port, id)).filter((item) => "mine" in item)).toHaveLength(90);
    expect((await journal.listAll(id)).sequenceNrs).toHaveLength(21);
  });

  test("may fill the transaction to the last action", async () => {
    const { id, writer } = await writerAfter(1);
    const marks = layout.highMark(id, 0, 3) === undefined ? 0 : 1;
    const fences = options.fencing === "strict" ? 1 : 0;
    // Both events are one item where items are large enough.
    const rows = staging.some(([, each]) => each === options) ? 2 : 1;
    const room = maxTransactActions - rows - marks - fences;
    const items = (count: number, name: string) =>
      Array.from({ length: count }, (_unused, at) => ownItem(`${id}${name}${at}.`));
    const tooMany = items(room + 1, "a");
    expect(await writer.append(events(2), { alsoWrite: tooMany })).toMatchObject({
      kind: "rejected",
      error: { code: "JOURNAL_WRITE_TOO_LARGE" },
    });
    expect(await writer.append(events(2), { alsoWrite: items(room, "b") })).toMatchObject({
      kind: "ok",
      value: { first: 2, last: 3 },
    });
    expect((await itemsOf(port, id)).filter((item) => "mine" in item)).toHaveLength(room);
  });

  test.each(writes)("is rejected beside %s if no transaction holds it", async (_write, before, size) => {
    const { id, writer } = await writerAfter(before);
    const there = await stored(id);
    const tooMany = Array.from({ length: maxTransactActions }, (_unused, at) => ownItem(`${id}${at}.`));
    const tooLarge = Array.from({ length: 11 }, (_unused, at) => ownItem(`${id}${at}.`, 390_000));
    for (const alsoWrite of [tooMany, tooLarge]) {
      expect(await writer.append(events(size), { alsoWrite })).toMatchObject({
        kind: "rejected",
        error: { code: "JOURNAL_WRITE_TOO_LARGE", kind: "limit" },
      });
    }
    expect(await stored(id)).toBe(there);
    expect(await writer.append(events(size))).toMatchObject({ kind: "ok", value: { first: before + 1 } });
  });
});
