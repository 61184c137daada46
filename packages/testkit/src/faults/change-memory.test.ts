import { expect, test } from "vitest";
import { canonicalJson } from "./change-memory.ts";

test("equal values look equal: whatever holds their bytes, and in whatever order their members are", () => {
  const bytes = Buffer.from("key");
  expect(canonicalJson({ b: { B: bytes }, a: 1 })).toBe(
    canonicalJson({ a: 1, b: { B: new Uint8Array(bytes) } }),
  );
  expect(canonicalJson({ B: Buffer.from("other") })).not.toBe(canonicalJson({ B: bytes }));
});
