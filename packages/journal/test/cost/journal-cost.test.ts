import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { costPage } from "../../../../scripts/lib/cost-page.mjs";
import type { JournalOptions } from "../../src/index.ts";
import { type Cost, type CostTable, measureCost, openMetered } from "./measure-cost.ts";

const page = fileURLToPath(new URL("../../../../docs/reference/journal-cost.md", import.meta.url));

const journals: readonly (readonly [name: string, options: JournalOptions])[] = [
  ["packed", { layout: "packed", table: "events" }],
  ["packed, strict", { layout: "packed", table: "events", fencing: "strict" }],
  ["bucketed", { layout: "bucketed", table: "events" }],
  ["bucketed, strict", { layout: "bucketed", table: "events", fencing: "strict" }],
  ["bucketed, with Akka", { layout: "bucketed", table: "events", akka: "2.6" }],
  ["linear", { layout: "linear", table: "events" }],
  ["scattered", { layout: "scattered", table: "events" }],
];

const tables = new Map<string, CostTable>();

beforeAll(async () => {
  for (const [name, options] of journals) tables.set(name, await measureCost(options));
});

function cost(journal: string, name: string): Cost {
  const found = tables.get(journal)?.get(name);
  if (found === undefined) throw new Error(`nothing was measured as ${name} of ${journal}`);
  return found;
}

describe("in the packed layout", () => {
  const of = (name: string) => cost("packed", name);

  test("opening an id is one request", () => {
    expect(of("recover a fresh id")).toMatchObject({ requests: 1, writeUnits: 0 });
    expect(of("recover a fresh id").readUnits).toBeLessThanOrEqual(1);
    expect(of("highest number of a fresh id").requests).toBe(1);
  });

  test("a write is one request, and costs what its bytes do", () => {
    expect(of("append one event")).toEqual({ requests: 1, readUnits: 0, writeUnits: 1 });
    expect(of("append 10 × 100 B atomically")).toMatchObject({ requests: 1, readUnits: 0 });
    expect(of("append 10 × 100 B atomically").writeUnits).toBeLessThanOrEqual(2);
    expect(of("append 100 × 1 KB atomically")).toMatchObject({ requests: 1, readUnits: 0 });
    expect(of("append 100 × 1 KB atomically").writeUnits).toBeLessThanOrEqual(105);
    expect(of("append 250 × 1 KB atomically")).toMatchObject({ requests: 1, readUnits: 0 });
    expect(of("append 250 × 1 KB atomically").writeUnits).toBeLessThanOrEqual(260);
  });

  test.each(["replay 50 × 1 KB", "load 50 × 1 KB"])("one request is enough to %s", (name) => {
    expect(of(name)).toMatchObject({ requests: 1, writeUnits: 0 });
    expect(of(name).readUnits).toBeLessThanOrEqual(14);
  });
});

describe("in the bucketed layout", () => {
  const of = (name: string) => cost("bucketed", name);

  test("one event is one request, and costs what one put does", () => {
    expect(of("append one event")).toEqual({ requests: 1, readUnits: 0, writeUnits: 1 });
  });

  test("an id without events costs two requests", () => {
    expect(of("recover a fresh id").requests).toBeLessThanOrEqual(2);
    expect(of("highest number of a fresh id").requests).toBeLessThanOrEqual(2);
  });

  test("a load reads the position once, and each bucket once", () => {
    const { requests, readUnits } = of("recover a fresh id");
    expect(of("load 50 × 1 KB").requests).toBe(requests + 1);
    // Two marks are there, and the events have 1.1 KB each.
    expect(of("load 50 × 1 KB").readUnits).toBeLessThanOrEqual(readUnits + 15);
    expect(of("load 10,000 × 1 KB").requests).toBeLessThanOrEqual(requests + 101);
  });

  test("one event costs what one put does, whatever its size", async () => {
    const { port, meter, journal } = await openMetered({ layout: "bucketed", table: "events" });
    const writer = await journal.recover("a");
    await writer.append({ payload: "first" });
    for (const size of [10, 900, 1000, 5000, 100_000]) {
      const payload = "x".repeat(size);
      meter.reset();
      expect(await writer.append({ payload })).toMatchObject({ kind: "ok" });
      const appended = meter.reset().total;
      const { Items = [] } = await port.query({
        TableName: "events",
        KeyConditionExpression: "par = :par AND num = :num",
        ExpressionAttributeValues: {
          ":par": { S: "journal-P-a-0" },
          ":num": { N: String(writer.highestSequenceNr) },
        },
      });
      meter.reset();
      await port.putItem({ TableName: "events", Item: { ...Items[0], par: { S: "x" } } });
      expect(appended).toMatchObject({ requests: 1, writeUnits: meter.reset().total.writeUnits });
    }
    await port.close();
  });

  test("atomic writes of 2 to 99 events are one request, wherever they begin", async () => {
    const { port, meter, journal } = await openMetered({ layout: "bucketed", table: "events" });
    const writer = await journal.recover("a");
    for (let size = 99; size >= 2; size--) {
      meter.reset();
      const write = Array.from({ length: size }, () => ({ payload: "x" }));
      expect(await writer.append(write)).toMatchObject({ kind: "ok" });
      expect([size, meter.reset().total.requests]).toEqual([size, 1]);
    }
    await port.close();
  });

  test("the highest number does not read the bucket", () => {
    const fifty = of("highest number of 50 events");
    const large = of("highest number, 100 × 10 KB in the last bucket");
    // The last number ends its bucket: the next one is read.
    expect(large.requests).toBe(fifty.requests + 1);
    // One event of 10 KB instead of one of 1 KB, and an empty page.
    expect(large.readUnits).toBeLessThanOrEqual(fifty.readUnits + 4);
  });

  test("the next delete does not read what was deleted before", () => {
    // One write reads the name of the id's life.
    expect(of("delete what is deleted already").writeUnits).toBe(1);
    expect(of("delete what is deleted already").requests).toBe(3);
    expect(of("delete 10 more").writeUnits).toBeLessThanOrEqual(16);
  });
});

test("an event in a table that Akka shares costs as much as with strict fencing", () => {
  expect(cost("bucketed, with Akka", "append one event")).toEqual({
    requests: 1,
    readUnits: 0,
    writeUnits: 4,
  });
});

test("strict fencing costs four times as much for an event", () => {
  expect(cost("bucketed, strict", "append one event")).toEqual({ requests: 1, readUnits: 0, writeUnits: 4 });
});

test("the cost page has the measured values", () => {
  const columns = journals.map(([name]) => name);
  const { text, measured } = costPage(page, columns, [...(tables.get("bucketed")?.keys() ?? [])], cost);
  expect(text).toBe(measured);
});
