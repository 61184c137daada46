import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32OfHead } from "./checksum.ts";

test("it is the CRC-32 of the text, whatever came before", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.string({ minLength: 60, maxLength: 70 }),
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 2 ** 32 - 1 }), (text, before) => {
      expect(crc32OfHead(text, before)).toBe(text === "" ? before : crc32(text, before));
    }),
  );
});
