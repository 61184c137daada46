import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { cursorRows } from "../../console/list/cursor-rows.ts";
import { offsetRows, type RowRange } from "../../console/list/offset-rows.ts";
import type { Rows } from "../../console/list/rows.ts";
import { sortedPages } from "../../console/list/sorted-pages.ts";

interface Row {
  readonly key: string;
}

const keyOf = ({ key }: Row) => key;
const settled = async () => {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
};

/** A list that other clients may change, newest first, with the requests it received. */
function served(count: number) {
  const list: Row[] = Array.from({ length: count }, (_, at) => ({ key: `${count - at}`.padStart(5, "0") }));
  const asked: RowRange[] = [];
  const rows = offsetRows<Row>({
    keyOf,
    pageSize: 10,
    fetchCount: async () => list.length,
    async fetchRows(range) {
      asked.push(range);
      const start = range.cursor === undefined ? range.start : Number(range.cursor);
      const page = list.slice(start, start + range.limit);
      await setImmediate();
      const end = start + page.length;
      return { rows: page, next: end < list.length ? `${end}` : undefined };
    },
  });
  return { list, asked, rows };
}

const shown = (rows: Rows<Row>, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => rows.rowAt(first + at)?.key);

test("a list that the server scans a table for is not read to its end at once", async () => {
  const asked: (string | undefined)[] = [];
  const page = sortedPages<Row>(
    async (cursor) => {
      asked.push(cursor);
      const at = Number(cursor ?? 0);
      const rows = at === 0 ? [] : [{ key: `${9 - at}b` }, { key: `${9 - at}a` }];
      return { rows, next: at < 5 ? `${at + 1}` : undefined, scan: true };
    },
    (one, other) => (one.key < other.key ? -1 : 1),
  );
  const { signal } = new AbortController();
  expect(await page(undefined, signal)).toEqual({ rows: [{ key: "8a" }, { key: "8b" }], next: "2" });
  expect(asked).toEqual([undefined, "1"]);
});

test("a sorted list shows its first page until the others are read, and keeps its rows while it is read again", async () => {
  const waiting: (() => void)[] = [];
  const rows = cursorRows<Row>({
    keyOf,
    fetchPage: sortedPages<Row>(
      async (cursor = "3") => {
        if (cursor !== "3") await new Promise<void>((resolve) => waiting.push(resolve));
        const at = Number(cursor);
        return { rows: [{ key: `${at}b` }, { key: `${at}a` }], ...(at > 1 && { next: `${at - 1}` }) };
      },
      (one, other) => (one.key < other.key ? -1 : 1),
    ),
  });
  const goOn = async () => {
    await settled();
    waiting.shift()?.();
    await settled();
  };
  await settled();
  expect(rows.state.get()).toMatchObject({ count: 2, mayBeMore: true });
  expect(shown(rows, 0, 1)).toEqual(["3a", "3b"]);
  await goOn();
  expect(rows.state.get().count).toBe(2);
  await goOn();
  expect(rows.state.get()).toMatchObject({ count: 6, mayBeMore: false });
  expect(shown(rows, 0, 5)).toEqual(["1a", "1b", "2a", "2b", "3a", "3b"]);
  rows.reload();
  await settled();
  expect(rows.state.get().count).toBe(6);
});

test("an offset list reads only visible rows, and continues with cursors", async () => {
  const { list, asked, rows } = served(1_000);
  await settled();
  rows.show(0, 15);
  await settled();
  expect(shown(rows, 0, 15)).toEqual(list.slice(0, 16).map(keyOf));
  rows.show(500, 505);
  await settled();
  expect(shown(rows, 500, 505)).toEqual(list.slice(500, 506).map(keyOf));
  rows.show(508, 512);
  await settled();
  expect(asked.map(({ start, cursor }) => [start, cursor])).toEqual([
    [0, undefined],
    [10, undefined],
    [500, undefined],
    [510, "510"],
  ]);
});

test("the top of an offset list is shown before its rows are counted; one page needs no count", async () => {
  let counted = 0;
  let answer = (_count: number) => {};
  const open = (length: number) =>
    offsetRows<Row>({
      keyOf,
      countsLater: true,
      pageSize: 10,
      fetchCount: () => {
        counted++;
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
      fetchRows: async ({ start, limit }) => {
        const page = Array.from({ length: Math.min(limit, length - start) }, (_, at) => ({
          key: `${start + at}`,
        }));
        return { rows: page, next: start + page.length < length ? "more" : undefined };
      },
    });
  const long = open(1_000);
  await settled();
  expect(long.state.get()).toMatchObject({ count: 10, mayBeMore: true });
  expect(shown(long, 0, 2)).toEqual(["0", "1", "2"]);
  answer(1_000);
  await settled();
  expect(long.state.get()).toMatchObject({ count: 1_000, mayBeMore: false });
  expect(counted).toBe(1);
  const short = open(10);
  await settled();
  expect(short.state.get()).toMatchObject({ count: 10, mayBeMore: false });
  expect(counted).toBe(1);
});

test("a reload while the rows are counted replaces the count that is still read", async () => {
  const answers: ((count: number) => void)[] = [];
  const rows = offsetRows<Row>({
    keyOf,
    countsLater: true,
    pageSize: 1,
    fetchCount: () => new Promise((resolve) => answers.push(resolve)),
    fetchRows: async () => ({ rows: [{ key: "a" }], next: "more" }),
  });
  await settled();
  rows.reload();
  await settled();
  answers[1]?.(7);
  await settled();
  answers[0]?.(5);
  await settled();
  expect(rows.state.get().count).toBe(7);
  rows.close();
});

test("a continuous scroll requests no pages that it passes", async () => {
  const { asked, rows } = served(1_000);
  await settled();
  for (let first = 100; first <= 700; first += 20) rows.show(first, first + 5);
  expect(asked).toHaveLength(2);
  await expect.poll(() => rows.rowAt(705)).toBeDefined();
  expect(asked).toHaveLength(3);
  expect(shown(rows, 700, 705)).not.toContain(undefined);
  expect(shown(rows, 300, 305)).toEqual(Array(6).fill(undefined));
  expect(asked.at(-1)?.start).toBe(700);
});

test("new rows are added on top and move the others, once each; rows that are removed close the gap", async () => {
  const { list, rows } = served(30);
  await settled();
  rows.show(0, 29);
  await settled();
  list.unshift({ key: "00031" });
  rows.prepend({ key: "00031" });
  rows.prepend({ key: "00031" });
  expect(rows.state.get()).toMatchObject({ count: 31, shift: 1 });
  expect(shown(rows, 0, 30)).toEqual(list.map(keyOf));
  list.splice(5, 1);
  rows.remove(new Set(["00026"]));
  await settled();
  expect(rows.state.get().count).toBe(30);
  expect(shown(rows, 0, 29)).toEqual(list.map(keyOf));
});

test("detects deletions by others at the end of the list, and reports an error", async () => {
  const { list, rows } = served(30);
  await settled();
  list.splice(20);
  rows.show(15, 29);
  await settled();
  expect(rows.state.get().count).toBe(20);
  const failing = offsetRows<Row>({
    keyOf,
    fetchCount: () => Promise.reject(new Error("out of reach")),
    fetchRows: () => Promise.reject(new Error("out of reach")),
  });
  await settled();
  expect(failing.state.get()).toMatchObject({ count: undefined, error: { message: "out of reach" } });
  failing.close();
});

test("a list that is read page by page grows as it is shown, over empty pages too", async () => {
  const pages: Readonly<Record<string, { rows: Row[]; next?: string }>> = {
    "": { rows: [{ key: "c" }], next: "empty" },
    empty: { rows: [], next: "rest" },
    rest: { rows: [{ key: "b" }, { key: "a" }] },
  };
  const rows = cursorRows<Row>({
    keyOf,
    fetchPage: async (cursor = "") => pages[cursor] ?? { rows: [] },
  });
  await settled();
  expect(rows.state.get()).toMatchObject({ count: 1, mayBeMore: true });
  rows.show(0, 0);
  await settled();
  expect(rows.state.get()).toMatchObject({ count: 3, mayBeMore: false });
  rows.prepend({ key: "d" });
  rows.remove(new Set(["b"]));
  expect(shown(rows, 0, 2)).toEqual(["d", "c", "a"]);
});

test("rows that are removed above the view leave what is shown where it is", async () => {
  const { list, rows } = served(100);
  await settled();
  rows.show(0, 9);
  rows.show(50, 59);
  await settled();
  await expect.poll(() => rows.rowAt(59)).toBeDefined();
  const [third, below] = [list[3]?.key ?? "", list[58]?.key ?? ""];
  const place = (key: string) => list.findIndex((row) => row.key === key) - rows.state.get().shift;
  const fifth = list[55]?.key ?? "";
  const before = place(fifth);
  for (const key of [third, below])
    list.splice(
      list.findIndex((row) => row.key === key),
      1,
    );
  rows.remove(new Set([third, below]));
  expect(rows.state.get()).toMatchObject({ count: 98, shift: -1 });
  expect(place(fifth)).toBe(before);
  await settled();
  expect(shown(rows, 50, 57)).toEqual(list.slice(50, 58).map(keyOf));
});

test("rows that are removed out of sight are noticed soon, with one more read for any number of them", async () => {
  const { list, asked, rows } = served(1_000);
  await settled();
  rows.show(0, 9);
  const before = asked.length;
  for (const row of list.splice(500, 300)) rows.remove(new Set([row.key]));
  await expect.poll(() => rows.state.get().count).toBe(700);
  expect(asked.length).toBeLessThan(before + 5);
  rows.close();
});

test("a list that is read again without rows above the view leaves what is shown where it is", async () => {
  const { list, rows } = served(100);
  await settled();
  rows.show(40, 49);
  await settled();
  const before = shown(rows, 40, 49);
  list.splice(3, 2);
  rows.reload();
  await settled();
  const { count, shift } = rows.state.get();
  expect({ count, shift }).toEqual({ count: 98, shift: -2 });
  rows.show(38, 47);
  await settled();
  expect(shown(rows, 38, 47)).toEqual(before);
  rows.close();
});

test("rows that are reported while the list is read are counted", async () => {
  const { list, rows } = served(20);
  await settled();
  rows.show(0, 9);
  rows.reload();
  // The request above has read its 20 rows, and its response is on the way.
  const added = { key: "00021" };
  list.unshift(added);
  rows.prepend(added);
  await settled();
  await expect.poll(() => [rows.state.get().count, rows.rowAt(0)]).toEqual([21, added]);
  rows.close();
});

test("a list that is read page by page adds new rows on top, and keeps its rows", async () => {
  let list = Array.from({ length: 30 }, (_, at) => ({ key: `${100 - at}` }));
  let reads = 0;
  const rows = cursorRows<Row>({
    keyOf,
    async fetchPage(cursor = "0") {
      reads++;
      const start = Number(cursor);
      const next = start + 5 < list.length ? `${start + 5}` : undefined;
      return { rows: list.slice(start, start + 5), ...(next !== undefined && { next }) };
    },
  });
  await settled();
  rows.show(0, 4);
  await settled();
  expect(rows.state.get()).toMatchObject({ count: 10, shift: 0 });
  list = [{ key: "c" }, { key: "b" }, { key: "100" }, { key: "late" }, ...list.slice(1)];
  await rows.catchUp();
  expect(rows.state.get()).toMatchObject({ count: 13, shift: 3 });
  expect(shown(rows, 0, 5)).toEqual(["c", "b", "late", "100", "99", "98"]);
  reads = 0;
  await rows.catchUp();
  expect([reads, rows.state.get().count]).toEqual([1, 13]);
  list = Array.from({ length: 200 }, (_, at) => ({ key: `new ${at}` }));
  await rows.catchUp();
  await settled();
  expect(rows.state.get().count).toBe(5);
  expect(rows.rowAt(0)?.key).toBe("new 0");
});
