import { describe, expect, test } from "vitest";
import type { DocumentObject } from "../document/document-value.ts";
import { deltaOf } from "./delta.ts";
import { mergePatch } from "./merge-patch.ts";
import type { ValueChange } from "./value-change.ts";

/** Applies patches one after the other, the n-th at second n. */
function merged(...patches: (DocumentObject | null)[]) {
  const changes: ValueChange[] = [];
  const section = patches.reduce<ReturnType<typeof mergePatch>>(
    (before, patch, at) => mergePatch(before, patch, at + 1, { half: "desired", changes }),
    {},
  );
  return { ...section, changes };
}

describe("AWS's merge", () => {
  const rows: readonly (readonly [
    rule: string,
    patches: (DocumentObject | null)[],
    state: DocumentObject | undefined,
    metadata: unknown,
  ])[] = [
    ["sets keys", [{ a: 1 }], { a: 1 }, { a: 1 }],
    [
      "merges objects key by key",
      [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }],
      { a: { b: 1, c: 3 } },
      { a: { b: 1, c: 2 } },
    ],
    ["replaces lists whole", [{ a: [1, 2, 3] }, { a: [4] }], { a: [4] }, { a: [2] }],
    ["removes a key by null", [{ a: 1, b: 2 }, { a: null }], { b: 2 }, { b: 1 }],
    [
      "removes a nested key by null, and keeps the empty object",
      [{ a: { b: 1 } }, { a: { b: null } }],
      { a: {} },
      { a: 2 },
    ],
    ["removes the half by null", [{ a: 1 }, null], undefined, undefined],
    ["adds no half for an empty patch", [{}], undefined, undefined],
    ["adds no half for removals of nothing", [{ a: null }], undefined, undefined],
    ["lets the half vanish with its last key", [{ a: 1 }, { a: null }], undefined, undefined],
    ["keeps nested empty objects", [{ d: {} }], { d: {} }, { d: 1 }],
    ["keeps empty lists", [{ l: [] }], { l: [] }, { l: 1 }],
    ["merges into empty objects", [{ d: {} }, { d: { e: 1 } }], { d: { e: 1 } }, { d: { e: 2 } }],
    ["replaces a value by an empty object", [{ c: 3 }, { c: {} }], { c: {} }, { c: 2 }],
    ["replaces a value by an object", [{ a: 1 }, { a: { b: 2 } }], { a: { b: 2 } }, { a: { b: 2 } }],
    ["replaces an object by a value", [{ a: { b: 2 } }, { a: 1 }], { a: 1 }, { a: 2 }],
    ["replaces an object by a list", [{ a: { b: 2 } }, { a: [1] }], { a: [1] }, { a: [2] }],
    ["replaces a list by an object", [{ a: [1] }, { a: { b: 1 } }], { a: { b: 1 } }, { a: { b: 2 } }],
    ["strips nulls of an object that is added", [{ a: { b: 1, c: null } }], { a: { b: 1 } }, { a: { b: 1 } }],
    [
      "mirrors lists of objects element by element",
      [{ a: [{ b: 1 }, [2]] }],
      { a: [{ b: 1 }, [2]] },
      { a: [{ b: 1 }, [1]] },
    ],
    ["gives a new time to a value that is set again", [{ a: 1 }, { a: 1 }], { a: 1 }, { a: 2 }],
    [
      "takes __proto__ for a key",
      [JSON.parse('{"__proto__":{"x":1}}')],
      JSON.parse('{"__proto__":{"x":1}}'),
      JSON.parse('{"__proto__":{"x":1}}'),
    ],
  ];

  test.each(rows)("%s", (_rule, patches, state, metadata) => {
    const result = merged(...patches);
    expect(result.state).toEqual(state);
    expect(result.metadata).toEqual(metadata);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("reports the change to each value in the request", () => {
    const { changes } = merged({ a: 1, b: 2, "c/d": { e: 3 } }, { a: 1, b: 5, "c/d": { e: null }, f: [] });
    expect(changes.slice(3)).toEqual([
      { half: "desired", path: "/a", kind: "unchanged", before: 1, after: 1 },
      { half: "desired", path: "/b", kind: "updated", before: 2, after: 5 },
      { half: "desired", path: "/c~1d/e", kind: "removed", before: 3 },
      { half: "desired", path: "/f", kind: "added", after: [] },
    ]);
  });
});

describe("AWS's delta", () => {
  const rows: readonly (readonly [
    rule: string,
    DocumentObject | undefined,
    DocumentObject | undefined,
    unknown,
  ])[] = [
    ["is nothing where both are the same", { on: true }, { on: true }, undefined],
    ["shows a flag that differs", { on: true }, { on: false }, { on: true }],
    ["shows a key that is not reported", { on: true, online: true }, { online: true }, { on: true }],
    ["is what is desired where nothing is reported", { a: { b: 1 } }, undefined, { a: { b: 1 } }],
    ["is nothing where nothing is desired", undefined, { a: 1 }, undefined],
    ["never shows what is only reported", { a: 1 }, { a: 1, b: 2 }, undefined],
    ["shows a list whole that is shorter", { l: ["a"] }, { l: ["a", "b"] }, { l: ["a"] }],
    ["shows a list whole that is longer", { l: ["a", "b"] }, { l: ["a"] }, { l: ["a", "b"] }],
    ["shows a list of another order", { l: [1, 2] }, { l: [2, 1] }, { l: [1, 2] }],
    ["shows a nested list", { a: { l: [1] } }, { a: { l: [] } }, { a: { l: [1] } }],
    ["goes into objects", { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 2 } }],
    ["does not go into objects of lists", { l: [{ a: 1 }] }, { l: [{ a: 2 }] }, { l: [{ a: 1 }] }],
    ["shows a sibling that is added", { a: { b: 1 }, c: { d: 2 } }, { a: { b: 1 } }, { c: { d: 2 } }],
    ["shows an object where a value is reported", { a: { b: 1 } }, { a: 1 }, { a: { b: 1 } }],
    ["shows a value where an object is reported", { a: 1 }, { a: { b: 1 } }, { a: 1 }],
    ["shows an empty object where a value is reported", { c: {} }, { c: 3 }, { c: {} }],
    ["shows an empty object where nothing is reported", { d: {} }, {}, { d: {} }],
    ["takes an empty object for reported by any object", { d: {} }, { d: { x: 1 } }, undefined],
    ["takes 1 and 1.0 for the same", JSON.parse('{"a":1.0}'), JSON.parse('{"a":1}'), undefined],
    [
      "tells false, 0, empty text and absence apart",
      { a: false, b: 0, c: "" },
      { a: 0, b: "" },
      { a: false, b: 0, c: "" },
    ],
  ];

  test.each(rows)("%s", (_rule, desired, reported, delta) => {
    expect(deltaOf(desired, reported)).toEqual(delta);
  });
});
