import { expect, test, vi } from "vitest";
import type { WireItem, WireValue } from "../values/wire-value.ts";
import { ItemDraft } from "./item-draft.ts";
import type { Path } from "./syntax-tree.ts";

const n = (value: number): WireValue => ({ N: String(value) });
const numbered = (count: number): WireItem =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, n(at)]));

/** An item whose parts throw when they are changed. */
function frozen<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) if (typeof member === "object") frozen(member as object);
  return Object.freeze(value);
}

test("changes a copy of the item, and of the maps and lists on the way", () => {
  const before = frozen({ l: { L: [n(1), { M: { a: n(2), b: n(3) } }] }, m: { M: { k: n(4) } }, z: n(5) });
  const draft = new ItemDraft(before);
  draft.assign(["l", 1, "a"], n(20));
  draft.assign(["l", 9], n(30));
  draft.assign(["m", "k"], n(40));
  draft.remove(["l", 1, "b"]);
  draft.remove(["l", 0]);
  draft.remove(["z"]);
  expect(draft.item).toEqual({ l: { L: [{ M: { a: n(20) } }, n(30)] }, m: { M: { k: n(40) } } });
  expect(before).toEqual({ l: { L: [n(1), { M: { a: n(2), b: n(3) } }] }, m: { M: { k: n(4) } }, z: n(5) });
});

test("leaves a value alone that two attributes share", () => {
  const shared: WireValue = frozen({ M: { k: n(1) } });
  const draft = new ItemDraft({ a: shared });
  draft.assign(["b"], shared);
  draft.assign(["a", "k"], n(2));
  expect(draft.item).toEqual({ a: { M: { k: n(2) } }, b: { M: { k: n(1) } } });
});

test.each<[string, Path]>([
  ["an absent attribute", ["x", "k"]],
  ["a member of a list", ["l", "k"]],
  ["an element of a map", ["m", 0]],
  ["a part of a number", ["l", 0, "k"]],
  ["an element past the end", ["l", 1, "k"]],
])("rejects a path through %s", (_what, path) => {
  const draft = new ItemDraft({ l: { L: [n(1)] }, m: { M: {} } });
  expect(() => draft.assign(path, n(1))).toThrow("invalid for update");
  expect(() => draft.remove(path)).toThrow("invalid for update");
});

test("copies a map once, however many of its members change", () => {
  const draft = new ItemDraft({ ...numbered(2000), m: { M: numbered(2000) } });
  const keys = vi.spyOn(Object, "keys");
  try {
    for (let at = 0; at < 300; at++) {
      draft.assign([`a${at}`], n(-1));
      draft.remove(["m", `a${at}`]);
    }
    expect(keys).toHaveBeenCalledTimes(2);
  } finally {
    keys.mockRestore();
  }
});
