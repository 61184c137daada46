import { expect, test } from "vitest";
import { canonicalJson } from "./change-memory.ts";

test("equal values compare equal, whatever the type of their bytes and the order of their members", () => {
  const bytes = Buffer.from("key");
  expect(canonicalJson({ b: { B: bytes }, a: 1 })).toBe(
    canonicalJson({ a: 1, b: { B: new Uint8Array(bytes) } }),
  );
  expect(canonicalJson({ B: Buffer.from("other") })).not.toBe(canonicalJson({ B: bytes }));
});
