import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readDocs } from "./read-docs.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const page = readDocs("docs/reference/compatibility.md");

test("everything that docs/reference/compatibility.md names exists", () => {
  const named = [...page.matchAll(/`(packages\/[^`]+)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
});

test("docs/reference/compatibility.md names the oldest Node that the packages support", () => {
  const { engines } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
    engines: { node: string };
  };
  expect(page).toContain(`| Node | ${engines.node.replace(">=", "")} and newer;`);
});
