import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { boundaries } from "./package-boundaries.mjs";
import { rootFolder } from "./run-command.mjs";

const page = (name: string) => readFileSync(join(rootFolder, name), "utf8");

test.each(["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"])("every file that %s names exists", (name) => {
  const named = [...page(name).matchAll(/(?<=[`(])(?:packages|scripts|docs|bench)\/[\w./-]+/g)].map(
    ([path]) => path,
  );
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((path) => !existsSync(join(rootFolder, path)))).toEqual([]);
});

test("the table of packages is the one that is checked", () => {
  const rows = [...page("ARCHITECTURE.md").matchAll(/^\| `([\w-]+)` \| [^|]+ \| ([\w, -]+) \|$/gm)];
  const documented = Object.fromEntries(
    rows.map(([, name, imports]) => [name, imports === "nothing" ? [] : imports?.split(", ")]),
  );
  expect(documented).toEqual(
    Object.fromEntries(Object.entries(boundaries).map(([name, { imports }]) => [name, imports])),
  );
});

/** The numbered steps of the sections that follow one operation through the code. */
const walks = page("ARCHITECTURE.md")
  .split(/^## /m)
  .filter((section) => section.startsWith("Follow one "))
  .map((section) => ({
    title: section.split("\n")[0] ?? "",
    hops: [...section.matchAll(/^\d+\. (.*)$/gm)].map(([, hop = ""]) => hop),
  }));

test("there are walks for a write, a mail and a shadow update", () => {
  const titles = ["Follow one write", "Follow one mail", "Follow one shadow update"];
  expect(walks.map(({ title }) => title)).toEqual(expect.arrayContaining(titles));
});

test.each(walks)("$title has at most twelve hops, each with a file and a function in it", ({ hops }) => {
  expect(hops.length).toBeGreaterThan(4);
  expect(hops.length).toBeLessThanOrEqual(12);
  for (const hop of hops) {
    const [, path = "", name = ""] = /^`([\w./-]+)`, `#?([\w.]+)`: /.exec(hop) ?? [];
    expect(existsSync(join(rootFolder, path)), hop).toBe(true);
    for (const identifier of name.split(".")) expect(page(path)).toMatch(new RegExp(`\\b${identifier}\\b`));
  }
});
