import { itemSize } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyItem } from "../../test/models/any-item.ts";
import { StoredItem } from "../values/stored-item.ts";
import type { WireItem } from "../values/wire-value.ts";
import { decodeChange, encodeChange, timeOfChange } from "./change-record.ts";

const stream = {
  keySchema: [
    { AttributeName: "pk", KeyType: "HASH" as const },
    { AttributeName: "sk", KeyType: "RANGE" as const },
  ],
};
const names = ["pk", "sk"];
const keys: WireItem = { pk: { S: 'a "quoted" key' }, sk: { N: "7" } };

const stored = (item: WireItem) => StoredItem.pack(item, itemSize(item), false);
/** Items with their keys at any place. */
const images = fc
  .tuple(anyItem, anyItem)
  .map(([before, after]) => ({ ...before, ...keys, ...Object.fromEntries(Object.entries(after)), ...keys }));

describe.each(["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"])(
  "a change in a stream of %s",
  (view) => {
    test("is decoded as what happened, with the images that the stream shows", () => {
      const sides = fc.record({ before: fc.option(images), after: fc.option(images), expired: fc.boolean() });
      const showsNew = view.startsWith("NEW");
      const showsOld = view.includes("OLD");
      fc.assert(
        fc.property(sides, ({ before, after, expired }) => {
          fc.pre(before !== null || after !== null);
          const byTimeToLive = expired && after === null;
          const change = {
            before: before === null ? undefined : stored(before),
            after: after === null ? undefined : stored(after),
            byTimeToLive,
          };
          const text = encodeChange(names, view, change, 1_577_836_800_123);
          expect(timeOfChange(text)).toBe(1_577_836_800_123);
          const found = decodeChange(stream, text);
          expect(found.event).toBe(before === null ? "INSERT" : after === null ? "REMOVE" : "MODIFY");
          expect(found.byTimeToLive).toBe(byTimeToLive);
          expect(JSON.parse(found.keys.toJson())).toEqual(keys);
          expect(found.newImage?.toJson()).toBe(
            showsNew && after !== null ? JSON.stringify(after) : undefined,
          );
          expect(found.oldImage?.toJson()).toBe(
            showsOld && before !== null ? JSON.stringify(before) : undefined,
          );
          const size =
            itemSize(keys) +
            (showsNew && after !== null ? itemSize(after) : 0) +
            (showsOld && before !== null ? itemSize(before) : 0);
          expect(found.size).toBe(size);
        }),
        { numRuns: 300 },
      );
    });
  },
);

test("a change that an earlier version stored is still read", () => {
  const old =
    '1577836800123|{"event":"REMOVE","keys":{"pk":{"S":"a"}},"size":9,"old":{"pk":{"S":"a"},"n":{"N":"1"}},"byTimeToLive":true}';
  const { event, keys: found, newImage, oldImage, size, byTimeToLive } = decodeChange(stream, old);
  expect({ event, size, byTimeToLive, newImage }).toEqual({
    event: "REMOVE",
    size: 9,
    byTimeToLive: true,
    newImage: undefined,
  });
  expect(found.toItem()).toEqual({ pk: { S: "a" } });
  expect(oldImage?.toItem()).toEqual({ pk: { S: "a" }, n: { N: "1" } });
  expect(timeOfChange(old)).toBe(1_577_836_800_123);
});
