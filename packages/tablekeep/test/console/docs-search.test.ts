import { expect, test } from "vitest";
import { type SearchIndex, searchDocs } from "../../console/docs-site/search.ts";

const index: SearchIndex = {
  pages: [
    ["reference/engine.html", "The engine"],
    ["how-to/agents.html", "Agents"],
  ],
  sections: [
    [0, "the-engine", "The engine", "A DynamoDB that runs in your process."],
    [0, "checkpoints", "Checkpoints", `${"word ".repeat(60)}A checkpoint of the engine (v1.0+) is cheap.`],
    [1, "agents", "Agents", "Checkpoint before each write. Engineers undo it."],
  ],
};
const found = (query: string) => searchDocs(index, query).map(({ address }) => address);

test("finds sections that contain every word, in any case and order", () => {
  expect(found("UNDO write")).toEqual(["how-to/agents.html#agents"]);
  expect(found("undo process")).toEqual([]);
});

test("ranks titles above headings, headings above text, and whole words above parts", () => {
  expect(found("engine")).toEqual([
    "reference/engine.html#the-engine",
    "reference/engine.html#checkpoints",
    "how-to/agents.html#agents",
  ]);
  expect(found("checkpoint")).toEqual(["reference/engine.html#checkpoints", "how-to/agents.html#agents"]);
});

test("ranks pages about the code below those for users", () => {
  const pages = [["architecture.html", "Architecture"] as const, ["reference/mail.html", "Mail"] as const];
  const sections = [
    [0, "mail", "Mail", "The retention trims messages."] as const,
    [1, "options", "Options", "Retention: how many messages are kept."] as const,
  ];
  const hits = searchDocs({ pages, sections }, "retention");
  expect(hits.map(({ page }) => page)).toEqual(["Mail", "Architecture"]);
});

test("cuts the excerpt around the first word, and its odd parts are the words found", () => {
  const [hit] = searchDocs(index, "cheap checkpoint");
  expect(hit?.excerpt.filter((_, at) => at % 2 === 1)).toEqual(["checkpoint", "cheap"]);
  expect(hit?.excerpt.join("").length).toBeLessThan(150);
  expect(hit?.excerpt[0]).toMatch(/^… word/);
});

test("takes characters of regular expressions literally, and finds nothing for nothing", () => {
  expect(found("(v1.0+)")).toEqual(["reference/engine.html#checkpoints"]);
  expect(found("v1x0")).toEqual([]);
  expect(found("  ")).toEqual([]);
});
