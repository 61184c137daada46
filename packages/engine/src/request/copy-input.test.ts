import { expect, test } from "vitest";
import { copyInput } from "./copy-input.ts";

test("returns an equal copy that shares nothing with the request", () => {
  const request = JSON.parse('{"a":[{"__proto__":{"S":"x"}},null],"b":{"c":1}}') as Record<string, unknown>;
  request["bytes"] = Uint8Array.of(1, 2);
  const taken = copyInput(request) as typeof request;
  expect(taken).toEqual(request);
  expect(Object.keys((taken["a"] as object[])[0] as object)).toEqual(["__proto__"]);
  (request["a"] as unknown[]).length = 0;
  (request["bytes"] as Uint8Array)[0] = 9;
  expect(taken["a"]).toHaveLength(2);
  expect(taken["bytes"]).toEqual(Uint8Array.of(1, 2));
});

test("returns a cyclic request unchanged", () => {
  const endless: Record<string, unknown> = {};
  Object.assign(endless, { left: endless, right: endless });
  expect(copyInput(endless)).toBe(endless);
});
