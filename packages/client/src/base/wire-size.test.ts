import type { AttributeValue } from "@tablekeep/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { itemWireSize } from "./check-item-size.ts";

const { value: anyValue } = fc.letrec<{ value: AttributeValue }>((tie) => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom('"', "\\", "\u0001\n\u007f", "\ud800", "é"),
  );
  const bytes = fc.uint8Array().map((each) => new Uint8Array(each));
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      text.map((S): AttributeValue => ({ S })),
      fc.integer().map((N): AttributeValue => ({ N: String(N) })),
      bytes.map((B): AttributeValue => ({ B })),
      fc.array(text).map((SS): AttributeValue => ({ SS })),
      fc.array(fc.integer()).map((NS): AttributeValue => ({ NS: NS.map(String) })),
      fc.array(bytes).map((BS): AttributeValue => ({ BS })),
      fc.boolean().map((BOOL): AttributeValue => ({ BOOL })),
      fc.constant<AttributeValue>({ NULL: true }),
      fc.array(tie("value")).map((L): AttributeValue => ({ L })),
      fc.dictionary(text, tie("value")).map((M): AttributeValue => ({ M })),
    ),
  };
});

test("is the number of bytes that the item's JSON has", () => {
  const base64 = (_: string, each: unknown) =>
    each instanceof Uint8Array ? Buffer.from(each).toString("base64") : each;
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), anyValue), (item) => {
      expect(itemWireSize(item)).toBe(Buffer.byteLength(JSON.stringify(item, base64)));
    }),
    { numRuns: 500 },
  );
});
