import { expect, test } from "vitest";
import { itemPreview, plainItem } from "../../console/tables/items/plain-item.ts";
import {
  addressOfQuery,
  emptyQuery,
  type ItemsQuery,
  keyOfItem,
  queryOfAddress,
  requestOfQuery,
} from "../../console/tables/query/items-query.ts";

const full: ItemsQuery = {
  index: "by status",
  partition: "a&b",
  sortIs: "between",
  sort: "1",
  sortTo: "2",
  filters: [{ path: "address.lines.0", is: "=", type: "S", value: "x" }],
  isConsistent: true,
  isDescending: true,
};

test.each([[emptyQuery], [full]])("an address keeps a query", (query) => {
  expect(queryOfAddress(new URLSearchParams(addressOfQuery(query)))).toEqual(query);
});

test.each(["x", "{}", "[1]", '[{"path":1}]', '[{"path":"a","is":"=","type":"Q","value":""}]'])(
  "ignores invalid filters of an address: %s",
  (filters) => {
    expect(queryOfAddress(new URLSearchParams({ filters })).filters).toEqual([]);
  },
);

test("a query is sent with what it has", () => {
  expect(Object.fromEntries(requestOfQuery(full, "next"))).toEqual({
    index: "by status",
    partition: "a&b",
    order: "desc",
    sort: "1",
    sortIs: "between",
    sortTo: "2",
    filter: '{"path":["address","lines",0],"is":"=","value":{"S":"x"}}',
    consistent: "true",
    cursor: "next",
  });
  expect(
    requestOfQuery(
      { ...full, partition: "", index: "", filters: [], isConsistent: false },
      undefined,
    ).toString(),
  ).toBe("");
});

test("an item is named by its key alone, and shown as plain JSON", () => {
  const table = {
    name: "t",
    status: "ACTIVE",
    itemCount: 0,
    sizeBytes: 0,
    billing: "on-demand",
    indexes: [],
    used: { requests: 0, failures: 0, readUnits: 0, writeUnits: 0 },
    browsed: { readUnits: 0 },
    partition: { name: "id", type: "S" },
    sort: { name: "nr", type: "N" },
  } as const;
  const item = {
    id: { S: "a" },
    nr: { N: "1" },
    many: { NS: ["1", "2.5"] },
    list: { L: [{ BOOL: true }, { NULL: true }] },
    map: { M: { bytes: { B: "AQ==" } } },
  };
  expect(keyOfItem(table, item)).toBe('{"id":{"S":"a"},"nr":{"N":"1"}}');
  expect(plainItem(item)).toEqual({
    id: "a",
    nr: 1,
    many: [1, 2.5],
    list: [true, null],
    map: { bytes: "AQ==" },
  });
  expect(itemPreview(item, 1_000)).toBe(JSON.stringify(plainItem(item)));
});
