import fc from "fast-check";
import { expect, it } from "vitest";
import { anyItem } from "../../test/models/any-item.ts";
import { itemJson } from "./item-json.ts";

it("equals JSON.stringify for every item", () => {
  fc.assert(
    fc.property(anyItem, fc.constantFrom(0, 100_000), (item, size) => {
      expect(itemJson(item, size)).toBe(JSON.stringify(item));
    }),
    { numRuns: 1_000 },
  );
});

it("escapes every character that needs it", () => {
  for (let code = 0; code < 0x300; code++) {
    const item = { pk: { S: `a${String.fromCharCode(code)}b` } };
    expect(itemJson(item, 1000)).toBe(JSON.stringify(item));
  }
});
