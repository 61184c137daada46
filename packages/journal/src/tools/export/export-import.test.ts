import type { DynamoPort } from "@tablekeep/core";
import { stopAfterNth } from "@tablekeep/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { akkaFixtures } from "../../../test/akka-fixtures.ts";
import { comparable } from "../../../test/comparable.ts";
import {
  append,
  collect,
  engineWith,
  engineWithFixture,
  fixtureOptions,
  itemsOf,
  layouts,
  numbersOf,
  range,
  singles,
} from "../../../test/journal-world.ts";
import type { JournalOptions } from "../../context/journal-options.ts";
import { openJournal } from "../../open-journal.ts";
import { openJournalReader } from "../../open-journal-reader.ts";
import { verifyJournal } from "../verify/verify-journal.ts";
import { exportEvents } from "./export-events.ts";
import { importEvents } from "./import-events.ts";
import { readExported } from "./read-export.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

async function engine(...journals: JournalOptions[]) {
  const port = await engineWith(...journals);
  open.push(port);
  return port;
}

async function exported(port: DynamoPort, options: JournalOptions): Promise<string> {
  return (await collect(exportEvents(port, options))).join("");
}

async function essence(port: DynamoPort, options: JournalOptions, id: string) {
  const journal = await openJournalReader(port, options);
  return [await journal.highestSequenceNr(id), comparable(await collect(journal.replay(id)))];
}

const source = { table: "source" };
const target = { table: "target" };

/** One id with all that an event can have, one that is cut, one that is deleted. */
async function fill(port: DynamoPort): Promise<void> {
  const journal = await openJournal(port, source);
  const bytes = Uint8Array.of(1, 2);
  const all = { tags: ["x", "ü"], metadata: { by: 1 }, manifest: "m-1", timestamp: 77 };
  await append(journal, "a", [
    { payload: { text: "ä\n", list: [1, null] }, ...all },
    { payload: 2n ** 62n },
    [{ payload: bytes }, { payload: { serializerId: 9, manifest: "M", bytes } }],
    singles(5, 110),
  ]);
  await append(journal, "b", [singles(1, 6), ...singles(7, 8)]);
  await journal.deleteTo("b", 3);
  await append(journal, "c", singles(1, 2));
  await journal.deleteTo("c", 2);
}

/** Cuts a string into pieces of a few bytes, in the middle of characters too. */
function* pieces(bytes: Buffer, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("an export", () => {
  test("is lines of JSON with the bytes, and the payload where JSON holds it", async () => {
    const port = await engine(source);
    await fill(port);
    const before = await itemsOf(port, "source");
    const lines = (await exported(port, source)).trimEnd().split("\n");
    const values = lines.map((line) => JSON.parse(line));
    expect(values[0]).toEqual({ format: "tablekeep-journal", version: 1 });
    expect(values[1]).toEqual({ id: "a", lowest: 1, highest: 110 });
    expect(values[2]).toMatchObject({
      persistenceId: "a",
      sequenceNr: 1,
      payload: { text: "ä\n", list: [1, null] },
      tags: ["x", "ü"],
      manifest: "m-1",
      timestamp: 77,
      metadata: { serializerId: 742001, manifest: "" },
    });
    expect(Buffer.from(values[2].bytes, "base64").toString()).toBe('{"text":"ä\\n","list":[1,null]}');
    expect(values[3]).toMatchObject({ sequenceNr: 2, serializerId: 18 });
    expect(values[3]).not.toHaveProperty("payload");
    expect(values[4]).toMatchObject({ sequenceNr: 3, bytes: "AQI=", batch: [0, 1] });
    expect(values[5]).toMatchObject({ serializerId: 9, serializerManifest: "M", bytes: "AQI=" });
    expect(values.at(-2)).toEqual({ end: "c", events: 0 });
    expect(values.at(-1)).toEqual({ complete: true, ids: 3 });
    expect(await itemsOf(port, "source")).toEqual(before);
  });

  test("of one id contains only that id", async () => {
    const port = await engine(source);
    await fill(port);
    const lines = await collect(exportEvents(port, source, { persistenceId: "b" }));
    expect(
      lines.filter((line) => line.includes('"persistenceId"')).every((line) => line.includes('"b"')),
    ).toBe(true);
    expect(lines).toHaveLength(9);
  });

  test("that was interrupted anywhere continues where it ended", async () => {
    const port = await engine(source);
    await fill(port);
    const whole = await exported(port, source);
    const expected = JSON.stringify((await eventsOf(whole)).sort());
    const bytes = Buffer.from(whole);
    for (const cut of [0, 10, 60, 400, 900, 1100, 5_000, bytes.length - 60, bytes.length - 5]) {
      const resume = await readExported(pieces(bytes.subarray(0, cut), 1000));
      const kept = bytes.subarray(0, resume.bytes).toString();
      const rest = (await collect(exportEvents(port, source, { resume }))).join("");
      expect(JSON.stringify((await eventsOf(kept + rest)).sort())).toBe(expected);
      const other = await engine(target);
      await importEvents(other, [kept, rest], target);
      expect(await importEvents(other, [kept, rest], target)).toMatchObject({ written: 0 });
      for (const id of ["a", "b", "c"])
        expect(await essence(other, target, id)).toEqual(await essence(port, source, id));
    }
    expect(await readExported([whole])).toMatchObject({ complete: true, bytes: bytes.length });
  });
});

async function eventsOf(text: string): Promise<string[]> {
  return text.split("\n").filter((line) => line.includes('"sequenceNr"'));
}

describe("an import", () => {
  test.each(layouts)("into the %s layout returns the same journal, undamaged", async (layout) => {
    const to = { ...target, layout, sequenceShards: 10 };
    const port = await engine(source, to);
    await fill(port);
    const text = await exported(port, source);
    expect(await importEvents(port, pieces(Buffer.from(text), 777), to)).toEqual({
      ids: 3,
      events: 115,
      written: 115,
    });
    for (const id of ["a", "b", "c"])
      expect(await essence(port, to, id)).toEqual(await essence(port, source, id));
    expect(await collect(verifyJournal(port, to))).toEqual([]);
    const before = await itemsOf(port, "target");
    expect(await importEvents(port, [text], to)).toEqual({ ids: 3, events: 115, written: 0 });
    expect(await itemsOf(port, "target")).toEqual(before);
    // What is there and not in the export stays.
    await append(await openJournal(port, to), "a", singles(111, 112));
    expect(await importEvents(port, [text], to)).toMatchObject({ written: 0 });
    const numbers = numbersOf(await collect((await openJournal(port, to)).replay("a")));
    expect(numbers).toEqual(range(1, 112));
  });

  test("never writes over other events", async () => {
    const port = await engine(source, target);
    await fill(port);
    await append(await openJournal(port, target), "a", singles(1, 2));
    const before = (await itemsOf(port, "target")).filter((item) => item["ev"] !== undefined);
    await expect(importEvents(port, [await exported(port, source)], target)).rejects.toMatchObject({
      code: "JOURNAL_COPY_REFUSED",
      details: { persistenceId: "a", sequenceNr: 1 },
    });
    const after = (await itemsOf(port, "target")).filter((item) => item["ev"] !== undefined);
    expect(after).toEqual(before);
  });

  test.each([
    ["packed", 8],
    ["bucketed", 15],
  ] as const)("may stop at any request, and is simply run again (%s)", async (layout, atLeast) => {
    const target = { table: "target", layout };
    const port = await engine(source);
    const journal = await openJournal(port, source);
    await append(journal, "a", [singles(1, 2), singles(3, 104), ...singles(105, 106)]);
    await journal.deleteTo("a", 1);
    const text = await exported(port, source);
    const report = await stopAfterNth({
      setup: async () => ({ port: await engineWith(target) }),
      run: (mortal) => importEvents(mortal, [text], target),
      async check({ port: living }) {
        await importEvents(living, [text], target);
        expect(await essence(living, target, "a")).toEqual(await essence(port, source, "a"));
        expect(await collect(verifyJournal(living, target))).toEqual([]);
      },
      teardown: ({ port: living }) => living.close(),
    });
    expect(report.requests).toBeGreaterThan(atLeast);
  });

  test("rejects an export with a missing line, whichever it is", async () => {
    const port = await engine(source);
    const journal = await openJournal(port, source);
    await append(journal, "a", [...singles(1, 3), singles(4, 5)]);
    await append(journal, "b", singles(1, 2));
    await journal.deleteTo("b", 2);
    const lines = (await exported(port, source)).trimEnd().split("\n");
    const into = async (text: string) => importEvents(await engine(target), [text], target);
    expect(await into(`${lines.join("\n")}\n`)).toEqual({ ids: 2, events: 5, written: 5 });
    for (const [at, missing] of lines.entries())
      await expect(into(`${lines.toSpliced(at, 1).join("\n")}\n`), missing).rejects.toMatchObject({
        code: "JOURNAL_EXPORT_INVALID",
      });
  });

  test("rejects a member of an event that it would not store", async () => {
    const port = await engine(source);
    await append(await openJournal(port, source), "a", singles(1, 1));
    const text = (await exported(port, source)).replace('"sequenceNr":1', '"sequenceNr":1,"color":"red"');
    const into = await engine(target);
    await expect(importEvents(into, [text], target)).rejects.toMatchObject({
      code: "JOURNAL_EXPORT_INVALID",
      details: { line: 3 },
    });
    expect(await (await openJournal(into, target)).highestSequenceNr("a")).toBe(0);
  });

  test.each([
    ["", 1],
    ["{}\n", 1],
    ['HEAD\n{"id":"a","lowest":0,"highest":2}\n', 2],
    ['HEAD\n{"id":"a","lowest":4,"highest":2}\n', 2],
    ['HEAD\n{"id":"a","lowest":1,"highest":2}\nEVENT:a:3\n', 3],
    ['{"format":"tablekeep-journal","version":2}\n', 1],
    ["no json\n", 1],
    ["HEAD\n", 2],
    ['HEAD\n{"id":"a","lowest":1,"highest":2}\n', 3],
    ['HEAD\n{"end":"a"}\n', 2],
    ['HEAD\n{"id":"a","lowest":1,"highest":2}\n{"sequenceNr":1}\n', 3],
    ['HEAD\n{"id":"a"}\n', 2],
    ["HEAD\nEVENT:b:1\n", 2],
    ['HEAD\n{"id":"a","lowest":1,"highest":2}\nEVENT:b:1\n', 3],
    ['HEAD\n{"id":"a","lowest":1,"highest":2}\nEVENT:a:2\nEVENT:a:1\n', 4],
  ])("rejects a file that is not an export: %j", async (template, line) => {
    const port = await engine(target);
    const text = template
      .replace("HEAD", '{"format":"tablekeep-journal","version":1}')
      .replaceAll(/EVENT:(\w):(\d)/g, (_all, id: string, number: string) =>
        JSON.stringify({
          persistenceId: id,
          sequenceNr: Number(number),
          bytes: "",
          serializerId: 4,
          serializerManifest: "",
          manifest: "",
          writerUuid: "",
          tags: [],
        }),
      );
    await expect(importEvents(port, [text], target)).rejects.toMatchObject({
      code: "JOURNAL_EXPORT_INVALID",
      kind: "invalid",
      details: { line },
    });
  });
});

test.each(akkaFixtures)("restores the original's table %s from an export", async (fixture) => {
  const port = await engineWithFixture(fixture);
  open.push(port);
  const from = fixtureOptions(fixture);
  const to = { table: "target", layout: from.layout };
  const other = await engine(to);
  await importEvents(other, exportEvents(port, from), to);
  const ids = (await openJournalReader(port, from)).currentPersistenceIds({ source: "scan" });
  for await (const { persistenceId } of ids) {
    expect(await essence(other, to, persistenceId)).toEqual(await essence(port, from, persistenceId));
  }
  expect(await collect(verifyJournal(other, to))).toEqual([]);
});
