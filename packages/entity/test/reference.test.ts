import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defineEntity, entityErrorKinds, isEntityError, openEntities } from "../src/index.ts";
import { counter } from "./counter.ts";
import { engineForEntities, storesOn } from "./entity-world.ts";

const read = (page: string) => readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8");
const sectionOf = (page: string, heading: string) =>
  read(page)
    .split(/^## /m)
    .find((text) => text.startsWith(heading));
const firstCells = (section = "") =>
  [...section.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);

/** Returns the options that the error for an unknown option lists. */
async function knownOptions(work: () => unknown): Promise<string[]> {
  const error = await (async () => work())().catch((thrown: unknown) => thrown);
  if (!isEntityError(error, "ENTITY_OPTION_INVALID")) throw error;
  return error.details.reason.replace(/^.*expected one of /, "").split(", ");
}

test("docs/reference/errors.md lists every code with its kind, and no other", () => {
  const rows = [
    ...(sectionOf("reference/errors.md", "@tablekeep/entity") ?? "").matchAll(
      /^\| `(\w+)`\s*\| ([\w-]+)\s*\| \S/gm,
    ),
  ];
  expect(Object.fromEntries(rows.map(([, code, kind]) => [code, kind]))).toEqual(entityErrorKinds);
});

test("docs/reference/entities.md lists every part of a definition and every option of a host", async () => {
  const stores = await storesOn(await engineForEntities());
  const parts = await knownOptions(() => defineEntity({ nothing: 1 } as never));
  expect(firstCells(sectionOf("reference/entities.md", "A definition")).toSorted()).toEqual(parts.toSorted());
  const options = await knownOptions(() =>
    openEntities({ ...stores, entities: [counter], nothing: 1 } as never),
  );
  expect(firstCells(sectionOf("reference/entities.md", "A host")).toSorted()).toEqual(options.toSorted());
});
