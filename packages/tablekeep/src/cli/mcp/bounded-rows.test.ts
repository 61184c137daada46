import { describe, expect, test } from "vitest";
import { boundedRows, boundedStrings, type Chunk, textPart } from "./bounded-rows.ts";

async function* chunks(...all: Chunk[]): AsyncGenerator<Chunk> {
  yield* all;
}
const row = (length: number) => ({ text: "x".repeat(length) });

describe("boundedRows", () => {
  test("ends at the limit of rows, and says where to continue", async () => {
    const source = chunks({ rows: [{ n: 1 }], next: "1" }, { rows: [{ n: 2 }], next: "2" }, { rows: [] });
    expect(await boundedRows(source, { limit: 2, maxBytes: 1000 })).toEqual({
      rows: [{ n: 1 }, { n: 2 }],
      next: "2",
    });
  });

  test("leaves a chunk that does not fit to the next result", async () => {
    const source = chunks({ rows: [row(400)], next: "1" }, { rows: [row(400), row(400)], next: "2" });
    expect(await boundedRows(source, { limit: 9, maxBytes: 1000 })).toEqual({ rows: [row(400)], next: "1" });
  });

  test("shortens a row that fits into no result", async () => {
    const source = chunks({ rows: [row(90_000)], next: "1" }, { rows: [] });
    const { rows, next } = await boundedRows(source, { limit: 9, maxBytes: 5000 });
    expect(rows).toEqual([{ tooLarge: 90_011, beginning: expect.stringMatching(/^\{"text":"x+$/) }]);
    expect(JSON.stringify(rows).length).toBeLessThan(5000);
    expect(next).toBeUndefined();
  });

  test("has no next at the end", async () => {
    expect(await boundedRows(chunks({ rows: [{ n: 1 }] }), { limit: 5, maxBytes: 1000 })).toEqual({
      rows: [{ n: 1 }],
    });
  });
});

describe("textPart", () => {
  test("never cuts a character, and reaches the end", () => {
    const text = "a😀".repeat(50);
    let offset: number | undefined = 0;
    let read = "";
    while (offset !== undefined) {
      const part = textPart(text, offset, 12);
      expect(part.text).not.toMatch(/[\uD800-\uDBFF]$/);
      read += part.text;
      offset = part.nextOffset;
    }
    expect(read).toBe(text);
  });

  test.each([
    ["plain", "x", 1],
    ["escaped", "\u0001", 6],
    ["two bytes", "é", 2],
    ["mixed", 'x"é\n', 7],
  ])("uses the bytes that it may: %s", (_name, unit, bytes) => {
    const { text } = textPart(unit.repeat(10_000), 0, 6000);
    const used = Buffer.byteLength(JSON.stringify(text)) - 2;
    expect(used).toBeLessThanOrEqual(6000);
    expect(used).toBeGreaterThan(6000 - 4 * bytes);
  });

  test("is empty beyond the end", () => {
    expect(textPart("abc", 3, 100)).toEqual({ text: "" });
    expect(textPart("abc", 9, 100)).toEqual({ text: "" });
  });
});

describe("boundedStrings", () => {
  test("leaves out what does not fit", () => {
    expect(boundedStrings(["aaa", "b".repeat(99), "cc", "d"], 12)).toEqual(["aaa", "cc"]);
  });
});
