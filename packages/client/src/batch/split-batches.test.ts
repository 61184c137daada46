import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BatchWriteEntry } from "../base/client-error.ts";
import { type BatchLimits, type Slot, splitBatches } from "./split-batches.ts";
import { batchWriteParams } from "./write-one-batch.ts";

const slot = (table: string, key: string, bytes: number): Slot<BatchWriteEntry> => {
  const entry = { table, put: { pk: { S: key.padEnd(bytes - 24 - '{"pk":{"S":""}}'.length, "x") } } };
  return { entry, table, identity: `${table} ${key}`, wireBytes: bytes };
};

async function split(slots: Slot<BatchWriteEntry>[], limits: Partial<BatchLimits> = {}) {
  const batches: Slot<BatchWriteEntry>[][] = [];
  const source = (async function* () {
    yield* slots;
  })();
  for await (const batch of splitBatches(source, { entries: 25, wireBytes: 1e9, repeats: false, ...limits }))
    batches.push(batch);
  return batches;
}
const lengths = (batches: unknown[][]) => batches.map((batch) => batch.length);
const many = (count: number) => Array.from({ length: count }, (_, n) => slot("t", `k${n}`, 100));

describe("splitBatches", () => {
  test("cuts at the limit of entries and not one before", async () => {
    expect(lengths(await split([]))).toEqual([]);
    expect(lengths(await split(many(25)))).toEqual([25]);
    expect(lengths(await split(many(26)))).toEqual([25, 1]);
    expect(lengths(await split(many(51)))).toEqual([25, 25, 1]);
  });

  test("a batch of exactly the limit of bytes is one request, of one more it is two", async () => {
    const slots = [slot("one", "a", 100), slot("one", "b", 60), slot("two", "c", 90)];
    const exact = Buffer.byteLength(JSON.stringify(batchWriteParams(slots)));
    // The comma that every entry and table is counted with is not there after the last of each.
    const counted = exact + 3;
    expect(lengths(await split(slots, { wireBytes: counted }))).toEqual([3]);
    expect(lengths(await split(slots, { wireBytes: counted - 1 }))).toEqual([2, 1]);
  });

  test("sends an entry larger than the limit alone", async () => {
    const slots = [slot("t", "a", 60), slot("t", "b", 5000), slot("t", "c", 60)];
    expect(lengths(await split(slots, { wireBytes: 1000 }))).toEqual([1, 1, 1]);
  });

  test("a second entry on an item begins a new batch, unless repeats are allowed", async () => {
    const slots = ["a", "b", "a", "c", "b"].map((key) => slot("t", key, 60));
    expect(lengths(await split(slots))).toEqual([2, 3]);
    expect(lengths(await split(slots, { repeats: true }))).toEqual([5]);
    expect(lengths(await split([slot("t", "a", 60), slot("u", "a", 60)]))).toEqual([2]);
  });

  test("loses no entry, keeps the order and exceeds no limit, for any entries", async () => {
    const entry = fc.record({
      table: fc.constantFrom("t", "uu", "vvv"),
      key: fc.integer({ min: 0, max: 9 }).map((n) => `key${n}`),
      bytes: fc.integer({ min: 60, max: 400 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 60 }), async (entries) => {
        const slots = entries.map(({ table, key, bytes }) => slot(table, key, bytes));
        const batches = await split(slots, { entries: 7, wireBytes: 900 });
        expect(batches.flat()).toEqual(slots);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(7);
          expect(Buffer.byteLength(JSON.stringify(batchWriteParams(batch)))).toBeLessThanOrEqual(900);
          expect(new Set(batch.map((each) => each.identity)).size).toBe(batch.length);
        }
      }),
      { numRuns: 200 },
    );
  });
});
