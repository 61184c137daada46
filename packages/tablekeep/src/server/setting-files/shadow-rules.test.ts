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
  ["{", undefined],
  [{}, ""],
  [["x"], "/0"],
  [[{ name: "a", on: "update" }], "/0/url"],
  [[{ name: "a b", on: "update", url }], "/0/name"],
  [[{ name: "a", on: "change", url, secret }], "/0/on"],
  [[{ name: "a", url }], "/0/on"],
  [[{ name: "a", on: "update", url, when: "x" }], "/0/when"],
  [[{ name: "a", on: "update", url, where: "reported.a ==" }], "/0/where"],
  [[{ name: "a", on: "delete", url, where: "reported.a = 1" }], "/0/where"],
  [[...Array(2)].map(() => ({ name: "a", on: "update", url })), "/1/name"],
  [Array.from({ length: 101 }, (_, at) => ({ name: `a${at}`, on: "update", url })), ""],
])("%j is an error that says where to correct it", (content, pointer) => {
  let error: unknown;
  try {
    read(content);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({
    code: "SERVER_SHADOW_RULES_INVALID",
    details: expect.objectContaining({ pointer }),
  });
  expect(String(error)).not.toContain(secret);
});

test("a file that is not there is an error with its path", () => {
  const path = "/nowhere/rules.json";
  expect(() => readShadowRulesFile(path)).toThrow(
    expect.objectContaining({
      code: "SERVER_SHADOW_RULES_INVALID",
      details: expect.objectContaining({ path, pointer: undefined }),
      cause: expect.objectContaining({ code: "ENOENT" }),
    }),
  );
});
