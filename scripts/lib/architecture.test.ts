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
