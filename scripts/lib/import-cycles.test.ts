import { expect, test } from "vitest";
import { importCycles } from "./import-cycles.mjs";

const files = (imports: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(imports).map(([path, specifiers]) => ({
    path: `packages/x/src/${path}`,
    source: specifiers.map((each) => `import type { T } from "${each}";`).join("\n"),
  }));

test("reports a cycle between files, type imports included", () => {
  const [cycle, ...others] = importCycles(files({ "a.ts": ["./b.ts"], "b.ts": ["./a.ts"] }));
  expect(cycle).toContain("packages/x/src: import cycle between a.ts, b.ts");
  expect(cycle).toContain("packages/x/src/a.ts imports packages/x/src/b.ts");
  expect(others).toEqual([]);
});

test("reports a cycle between folders whose files have none", () => {
  const cycles = importCycles(
    files({
      "read/page.ts": ["../write/item.ts"],
      "write/item.ts": [],
      "write/queue.ts": ["../read/size.ts"],
      "read/size.ts": [],
    }),
  );
  expect(cycles).toEqual([expect.stringContaining("import cycle between read, write")]);
});

test("reports a folder that imports a file which imports the folder", () => {
  const cycles = importCycles(
    files({ "engine.ts": ["./write/queue.ts"], "write/queue.ts": ["../engine.ts"] }),
  );
  expect(cycles).toEqual([expect.stringContaining("import cycle between engine.ts, write")]);
});

test("reports a cycle of three", () => {
  const cycles = importCycles(
    files({ "a/x.ts": ["../b/x.ts"], "b/x.ts": ["../c/x.ts"], "c/x.ts": ["../a/y.ts"], "a/y.ts": [] }),
  );
  expect(cycles).toEqual([expect.stringContaining("import cycle between a, b, c")]);
});

test("accepts imports in one direction, and ignores tests", () => {
  const paths = files({
    "index.ts": ["./a/x.ts", "./b/x.ts"],
    "a/x.ts": ["../b/x.ts", "./y.ts"],
    "a/y.ts": ["../b/x.ts"],
    "b/x.ts": [],
    "b/x.test.ts": ["../a/x.ts"],
  });
  expect(importCycles(paths)).toEqual([]);
});
