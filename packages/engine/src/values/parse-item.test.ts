import { isDeepStrictEqual } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, it } from "vitest";
import { anyItem } from "../../test/models/any-item.ts";
import { parseItem } from "./item-json.ts";
import type { WireItem } from "./wire-value.ts";

it("equals JSON.parse for every item, at any offset", () => {
  fc.assert(
    fc.property(anyItem, fc.string({ maxLength: 5 }), (each, head) => {
      const json = JSON.stringify(each);
      const parsed = parseItem(`${head}${json}`, head.length);
      expect(isDeepStrictEqual(parsed, JSON.parse(json))).toBe(true);
      expect(JSON.stringify(parsed)).toBe(json);
    }),
    { numRuns: 1_000 },
  );
});

it("treats a name such as __proto__ as data", () => {
  const parsed = parseItem('{"__proto__":{"M":{"__proto__":{"BOOL":false}}}}', 0);
  expect(Object.keys(parsed)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
});

it("does not retain a large item if only its key is kept", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const kept: (WireItem[string] | undefined)[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < 100; at++) {
    const large = JSON.stringify({
      pk: { S: `a key of some length ${at}` },
      data: { S: "x".repeat(200_000) },
    });
    kept.push(parseItem(large, 0)["pk"]);
  }
  collect();
  expect(kept).toHaveLength(100);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
});
