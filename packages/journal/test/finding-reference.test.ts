import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findingSeverities } from "../src/tools/verify/finding.ts";

test("docs/how-to/journal-tools.md lists every finding with its severity, and no other", () => {
  const page = readFileSync(new URL("../../../docs/how-to/journal-tools.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (error|warning|info) \| \S.* \| \S.* \|$/gm)];
  expect(Object.fromEntries(rows.map(([, kind, severity]) => [kind, severity]))).toEqual(findingSeverities);
  expect(rows).toHaveLength(Object.keys(findingSeverities).length);
});
