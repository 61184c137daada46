import { isDeepStrictEqual } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyItem } from "../../test/models/any-item.ts";
import { itemJson, parseAttributes, parseItem } from "./item-json.ts";
import type { WireItem } from "./wire-value.ts";

describe("itemJson", () => {
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
});

describe("parseItem", () => {
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

  it("distinguishes names that start alike, one item after another", () => {
    const name = fc.stringMatching(/^[ab]{0,4}$/);
    const items = fc.array(fc.dictionary(name, fc.record({ S: name })), { minLength: 2, maxLength: 10 });
    fc.assert(
      fc.property(items, (all) => {
        for (const each of all) {
          const json = JSON.stringify(each);
          expect(JSON.stringify(parseItem(json, 0))).toBe(json);
        }
      }),
      { numRuns: 300 },
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
});

describe("parseAttributes", () => {
  it("returns the attributes that JSON.parse returns, in the order of the names", () => {
    const cases = anyItem.chain((item) =>
      fc.tuple(fc.constant(item), fc.shuffledSubarray(Object.keys(item)), fc.string({ maxLength: 5 })),
    );
    let found = 0;
    fc.assert(
      fc.property(cases, ([item, names, head]) => {
        const json = JSON.stringify(item);
        const parsed = parseAttributes(`${head}${json}`, head.length, names);
        expect(Object.keys(parsed).toSorted()).toEqual(names.toSorted());
        for (const name of names) expect(parsed[name]).toEqual((JSON.parse(json) as WireItem)[name]);
        found += names.length;
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(100);
  });
});
