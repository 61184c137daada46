import { expect, test } from "vitest";
import { machineTraces } from "./machine-traces.mjs";

const found = (source: string, path = "a.md") => machineTraces({ path, source });
// Put together here, so that this file holds no trace itself.
const slash = "/";

test.each([
  `see ${slash}home/ann/code`,
  `"${slash}Users/ann"`,
  `in ${slash}work/main`,
  `C:\\Users${"\\"}ann`,
  `https:${slash}/registry${"."}npmjs.org/x`,
  `http:${slash}/my-artifactory${"."}example/npm`,
])("%s is a trace", (source) => {
  expect(found(`first line\n${source}`)).toEqual([expect.stringContaining("a.md:2: ")]);
});

test.each([
  "/usr/bin/env node",
  "the home/work balance",
  "https://example.test/home/page",
  "./work/x",
  "registry of ids",
  "a registry. Then more",
])("%s is none", (source) => {
  expect(found(source)).toEqual([]);
});

test("the lock file and binary files are not looked at", () => {
  expect(found(`${slash}home/ann`, "package-lock.json")).toEqual([]);
  expect(found(`\0 ${slash}home/ann`, "image.png")).toEqual([]);
});
