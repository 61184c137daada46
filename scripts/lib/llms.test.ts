import { expect, test } from "vitest";
import { llmsText } from "./llms.mjs";

const readme = { path: "README.md", source: "# Name\n\nWhat it is.\n" };
const linesOf = (source: string) =>
  llmsText([readme, { path: "docs/how-to/x.md", source }])
    .split("\n")
    .filter((line) => line.startsWith("- "));

test("lists a page with its title and the first paragraph, without links", () => {
  const source = "# Do x\n\n<!-- code: a.ts -->\n\nDoes [x](y.md)\nwell.\n\nMore.\n";
  expect(linesOf(source)).toEqual(["- [Do x](docs/how-to/x.md): Does x well."]);
});

test("skips tables and code before the first paragraph", () => {
  expect(linesOf("# Do x\n\n| a |\n|---|\n\n```sh\nx\n```\n\nProse.\n")).toEqual([
    "- [Do x](docs/how-to/x.md): Prose.",
  ]);
});

test("cuts a long paragraph at a sentence, and drops the introduction of a list", () => {
  const long = `First sentence. ${"word ".repeat(60)}end.`;
  expect(linesOf(`# Do x\n\n${long}\n`)).toEqual(["- [Do x](docs/how-to/x.md): First sentence."]);
  expect(linesOf("# Do x\n\nDoes it. Start it:\n")).toEqual(["- [Do x](docs/how-to/x.md): Does it."]);
});

test("starts with the title and the first paragraph of the README", () => {
  expect(llmsText([readme])).toMatch(/^# Name\n\n> What it is\.\n\n## Guides\n/);
});
