import { describe, expect, it } from "vitest";
import { docsProblems, modulesOf, quoteProblems } from "./check-docs.mjs";

const page = [
  "# Page",
  "```ts",
  'import { connect } from "@tablekeep/client";',
  "const port = connect();",
  "```",
  "Text, and code that is not TypeScript:",
  "```sh",
  "npm ci",
  "```",
  "```ts",
  "await port.close();",
  "```",
];

describe("the TypeScript in the docs", () => {
  it("is one module as long as no block imports, and keeps its line numbers", () => {
    const [module, ...others] = modulesOf(page.join("\n"));
    expect(others).toEqual([]);
    const lines = module?.split("\n") ?? [];
    expect([lines[3], lines[7], lines[10]]).toEqual(["const port = connect();", "", "await port.close();"]);
    expect(modulesOf([...page, ...page].join("\n"))).toHaveLength(2);
  });

  it("passes where it compiles", async () => {
    expect(await docsProblems([{ path: "docs/page.md", source: page.join("\n") }])).toBe("");
  });

  it("is named by page and line where it does not", async () => {
    const wrong = page.map((line) => line.replace("close()", "clsoe()"));
    const problems = await docsProblems([{ path: "docs/page.md", source: wrong.join("\n") }]);
    expect(problems).toMatch(/^docs\/page\.md\(11,12\): error TS2551/);
  });

  it("may stand word for word in a file that is compiled", () => {
    const file = { path: "examples.ts", source: "async () => {\n  await port.close();\n};" };
    const quoting = (code: string) => ({
      path: "docs/page.md",
      source: ["<!-- code: examples.ts -->", "```ts", code, "```"].join("\n"),
    });
    expect(quoteProblems({ path: "docs/page.md", source: page.join("\n") }, [file])).toBeUndefined();
    expect(quoteProblems(quoting("await port.close();"), [file])).toEqual([]);
    expect(quoteProblems(quoting("await port.open();"), [file])).toEqual([
      "docs/page.md(3): this block is not in examples.ts",
    ]);
    expect(quoteProblems(quoting("await port.close();"), [])).toHaveLength(1);
  });
});
