import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { feedErrorKinds, feedOptionNames, readFeedOptionNames } from "../src/index.ts";
import {
  projectionErrorKinds,
  projectionOptionNames,
  projectionsOptionNames,
  runProjectionsOptionNames,
} from "../src/projections/index.ts";

const read = (page: string) => readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8");
const sectionOf = (page: string, heading: string) =>
  read(page)
    .split(/^## /m)
    .find((text) => text.startsWith(heading));

test.each([
  ["@tablekeep/feed\n", feedErrorKinds],
  ["@tablekeep/feed/projections\n", projectionErrorKinds],
])("docs/reference/errors.md lists every code with its kind, and no other: %s", (heading, kinds) => {
  const rows = [
    ...(sectionOf("reference/errors.md", heading) ?? "").matchAll(/^\| `(\w+)`\s*\| ([\w-]+)\s*\| \S/gm),
  ];
  expect(Object.fromEntries(rows.map(([, code, kind]) => [code, kind]))).toEqual(kinds);
});

test.each([
  ["feed", "Options of `openFeed`", feedOptionNames],
  ["feed", "Options of `read`", readFeedOptionNames],
  ["projections", "Options of `defineProjection`", projectionOptionNames],
  ["projections", "Options of `runProjections`", runProjectionsOptionNames],
  ["projections", "Options of `openProjections`", projectionsOptionNames],
])("docs/reference/%s.md lists all: %s", (page, heading, names) => {
  const rows = [...(sectionOf(`reference/${page}.md`, heading) ?? "").matchAll(/^\| `(\w+)`\s*\| \S/gm)];
  expect(rows.map(([, name]) => name).toSorted()).toEqual(names.toSorted());
});
