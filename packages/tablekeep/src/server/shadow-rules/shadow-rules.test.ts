import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/temp-folder.ts";
import { conditionOf, readShadowRulesFile } from "./shadow-rules.ts";

const url = "https://hooks.example/a";
const secret = "whsec_c2VjcmV0";

function read(content: unknown) {
  const path = join(tempFolder(), "..", "rules.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return readShadowRulesFile(path);
}

test("a rule has a name, an event, a URL, and may have a condition and a secret", () => {
  const [all, some] = read([
    { name: "all", on: "delete", url },
    { name: "some", on: "delta", where: "state.desired.on != null", url, secret },
  ]);
  expect(all).toEqual({ name: "all", on: "delete", url });
  expect(some).toEqual({ name: "some", on: "delta", where: "state.desired.on != null", url, secret });
  const condition = some && conditionOf(some);
  const shadow = { id: "lamp", name: "", version: 1 };
  expect(condition?.matches({ ...shadow, state: { desired: { on: false } } })).toBe(true);
  expect(condition?.matches({ ...shadow, state: { reported: { on: false } } })).toBe(false);
});

test.each([
  ["{", "JSON"],
  [{}, "array of rules"],
  [["x"], "rule 1 must be an object"],
  [[{ name: "a", on: "update" }], "rule 1 must have a url"],
  [[{ name: "a b", on: "update", url }], "name of 1 to 64"],
  [[{ name: "a", on: "change", url, secret }], "update, delta, documents, delete"],
  [[{ name: "a", url }], "field on"],
  [[{ name: "a", on: "update", url, when: "x" }], 'unknown field "when"'],
  [[{ name: "a", on: "update", url, where: "reported.a ==" }], "at character 13"],
  [[{ name: "a", on: "delete", url, where: "reported.a = 1" }], "only thing, name and version"],
  [[...Array(2)].map(() => ({ name: "a", on: "update", url })), "the same name"],
  [Array(101).fill(0), "more than 100 rules"],
])("%j is an error that says what to correct", (content, reason) => {
  let error: unknown;
  try {
    read(content);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({
    code: "SERVER_SHADOW_RULES_INVALID",
    details: { reason: expect.stringContaining(reason) },
  });
  expect(String(error)).not.toContain(secret);
});

test("a file that is not there is an error with its path", () => {
  expect(() => readShadowRulesFile("/nowhere/rules.json")).toThrow(
    "/nowhere/rules.json: it does not exist (ENOENT)",
  );
});
