import { expect, test } from "vitest";
import { heldRows } from "../../console/list/held-rows.ts";
import { sortedRows } from "../../console/list/rows.ts";
import type { WireItem } from "../../console/tables/api/table-facts.ts";
import {
  addItems,
  allColumns,
  cellText,
  itemOrder,
  shownColumns,
} from "../../console/tables/grid/grid-columns.ts";
import { fieldsOf, itemOfFields } from "../../console/tables/items/typed-fields.ts";
import { parseValues } from "../../console/tables/items/typed-item.ts";

const items: readonly WireItem[] = [
  { total: { N: "10" }, id: { S: "b" } },
  { id: { S: "a" }, total: { N: "9" }, to: { M: { city: { S: "Bern" } } } },
  { id: { S: "c" }, total: { S: "many" } },
];
const nothing = { names: undefined, widths: {} };

test("columns are the keys, then the attributes in the order in which they came", () => {
  const known = addItems(addItems(new Map(), items.slice(0, 1)), items.slice(1));
  expect(allColumns(known, ["id"])).toEqual(["id", "total", "to"]);
  const shown = shownColumns(known, ["id"], nothing);
  expect(shown.map(({ name, isNumber }) => [name, isNumber])).toEqual([
    ["id", false],
    ["total", false],
    ["to", false],
  ]);
  expect(shownColumns(addItems(new Map(), items.slice(0, 2)), ["id"], nothing)[1]?.isNumber).toBe(true);
});

test("chosen columns and widths are kept, even if no item has the chosen ones", () => {
  const known = addItems(new Map(), items);
  const names = (chosen: readonly string[]) =>
    shownColumns(known, ["id"], { names: chosen, widths: { to: 77 } }).map(({ name, width }) => [
      name,
      width,
    ]);
  expect(names(["to"])).toEqual([["to", 77]]);
  expect(names(["gone"])).toEqual([["id", expect.any(Number)]]);
});

test("a column is wide enough for capitals, as in base64", () => {
  const widthOf = (item: WireItem) => shownColumns(addItems(new Map(), [item]), [], nothing)[0]?.width ?? 0;
  expect(widthOf({ b: { B: "AQIDEWMW" } })).toBeGreaterThan(widthOf({ b: { S: "aqidewmw" } }));
  expect(widthOf({ b: { S: "anna@mail.com" } })).toBeGreaterThan(widthOf({ b: { S: "anna-nail.con" } }));
});

test("the key is first in a form, wherever the item has it", () => {
  const item = { total: { N: "1" }, nr: { N: "7" }, id: { S: "a" }, to: { S: "Bern" } };
  expect(fieldsOf(item, ["id", "nr"]).map(({ name }) => name)).toEqual(["nr", "id", "total", "to"]);
  expect(itemOfFields(fieldsOf(item, ["id", "nr"]))).toEqual({ item });
});

test("items with very many attributes have a limited number of columns", () => {
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`a${at}`, { S: "x" }]));
  const known = addItems(new Map(), [wide]);
  expect(known.size).toBe(200);
  expect(shownColumns(known, [], nothing)).toHaveLength(12);
});

test.each([
  [undefined, ""],
  [{ S: 'say "x"' }, 'say "x"'],
  [{ S: "long text" }, "long te…"],
  [{ N: "12345678" }, "1234567…"],
  [{ BOOL: false }, "false"],
  [{ NULL: true }, "null"],
  [{ SS: ["a"] }, '["a"]'],
  [{ M: { n: { N: "1" } } }, '{"n":1}'],
])("the cell of %j", (value, text) => {
  expect(cellText(value, 7)).toBe(text);
});

test("sorts numbers by value and texts by text; items without the attribute are last", () => {
  const list = [...items, { id: { S: "d" } }];
  const sorted = (column: string, isDescending: boolean) =>
    list.toSorted(itemOrder({ column, isDescending })).map((item) => item["id"]?.["S"]);
  expect(sorted("id", true)).toEqual(["d", "c", "b", "a"]);
  const [numbers, descending] = [sorted("total", false), sorted("total", true)];
  expect(numbers.indexOf("a")).toBeLessThan(numbers.indexOf("b"));
  expect(descending.indexOf("b")).toBeLessThan(descending.indexOf("a"));
  expect([numbers.at(-1), descending.at(-1)]).toEqual(["d", "d"]);
});

test("sorted rows are sorted again when others come; the oldest of held rows are dropped", () => {
  const rows = heldRows<number>(String, 3);
  const sorted = sortedRows(rows, (one, other) => one - other);
  const shown = () => [0, 1, 2, 3].map((at) => sorted.rowAt(at));
  rows.prepend(5);
  rows.prepend(2);
  expect(shown()).toEqual([2, 5, undefined, undefined]);
  rows.prepend(9);
  rows.prepend(3);
  expect(shown()).toEqual([2, 3, 9, undefined]);
  expect([rows.find("9"), rows.find("5")]).toEqual([9, undefined]);
});

test("fields are an item again, of every type", () => {
  const item: WireItem = {
    id: { S: "line 1\nline 2" },
    n: { N: "12345678901234567890" },
    yes: { BOOL: true },
    none: { NULL: true },
    map: { M: { a: { L: [{ S: "x" }] } } },
    bytes: { B: "AQI=" },
    set: { NS: ["1", "2"] },
  };
  expect(itemOfFields(fieldsOf(item))).toEqual({ item });
});

test.each([
  [{ name: "", type: "S", text: "x" }, "no name"],
  [{ name: "id", type: "S", text: "x" }, "twice"],
  [{ name: "n", type: "N", text: "seven" }, "must be a number"],
  [{ name: "m", type: "M", text: "[]" }, "must be a map"],
  [{ name: "l", type: "L", text: "{}" }, "must be a list"],
  [{ name: "s", type: "SS", text: "[" }, "must be a list"],
] as const)("reports the field %j", (field, fault) => {
  expect(itemOfFields([{ name: "id", type: "S", text: "1" }, field])).toEqual({
    fault: expect.stringContaining(fault),
  });
});

test.each([
  ["", []],
  [' ["a", 12.5, null] ', [{ S: "a" }, { N: "12.5" }, { NULL: true }]],
])("parameters %j", (text, values) => {
  expect(parseValues(text)).toEqual({ values });
});

test.each(['{"a":1}', "[", "1", '[1],"x":[2]'])("%s is not a list of parameters", (text) => {
  expect(parseValues(text)).toHaveProperty("fault");
});
