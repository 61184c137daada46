import { expect, test } from "vitest";
import { Binding } from "./binding.ts";

const limit = 2 * 1024 * 1024;
const value = (bytes: number) => ({ S: "x".repeat(bytes) });

test("placeholders and what they stand for may have 2 MB together", () => {
  const binding = new Binding({ "#n": "name" }, { ":a": value(limit - 10), ":b": value(0) }, true);
  expect([binding.name("#n"), binding.value(":b")]).toEqual(["name", { S: "" }]);
});

test.each<[string, object | undefined, object | undefined, string]>([
  ["values", undefined, { ":a": value(limit - 1) }, "ExpressionAttributeValues exceeds max size"],
  [
    "names",
    Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`#n${at}`, "n".repeat(65_000)])),
    { ":a": value(1) },
    "ExpressionAttributeNames exceeds max size",
  ],
  [
    "names and values",
    { "#n": "name" },
    { ":a": value(limit - 7) },
    "Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size",
  ],
])("more than 2 MB of %s are rejected", (_what, names, values, words) => {
  expect(() => new Binding(names, values, true)).toThrow(words);
});
