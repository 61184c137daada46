import { expect, test } from "vitest";
import { checkoutFiles } from "./checkout-files.mjs";

/** Words and phrases of `docs/contributing/writing.md` that are never right here, whatever they refer to. */
const avoided = [
  /\bwho(?:m|so)?ever\b/i,
  /\banew\b/i,
  /\blest\b/i,
  /\bmend(?:s|ed|ing)?\b/i,
  /\b(?:comes?|came) to nothing\b/i,
  /\ball the same\b/i,
  /\b(?:is|are|was|were|be|been)(?: not)? told\b(?! apart)/i,
  /\bfor ever\b/i,
  /\bof (?:its|their) own(?=["'`.,;:)]|$)/i,
  /\bsuch (?:ones|a one)\b/i,
  /, also (?:if|when|where|while)\b/i,
  /\bwhether it is well\b/i,
];

/** The page with the list, what others have written, and data. */
const exempt =
  /^docs\/contributing\/writing\.md$|^scripts\/lib\/plain-english\.test\.ts$|(?:^|\/)(?:LICENSE|NOTICE|package-lock\.json)|\/fixtures?\/|caniemail/;

test("names, comments, messages and pages avoid the words that the page on writing lists", async () => {
  const files = (await checkoutFiles()).filter(({ path }) => !exempt.test(path));
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap(({ path, source }) =>
    source
      .split("\n")
      .flatMap((line, index) =>
        avoided.some((word) => word.test(line)) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
  expect(found).toEqual([]);
});
