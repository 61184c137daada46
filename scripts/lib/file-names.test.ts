import { expect, test } from "vitest";
import { checkoutFiles } from "./checkout-files.mjs";

/**
 * Files that have the same name because they are the same thing in parallel places; ARCHITECTURE.md lists the reasons.
 * A name may occur more than once if one of these covers all of its files.
 */
const parallels = [
  // Entry points.
  /\/(?:index|main)\.tsx?$/,
  // DynamoDB's operations and topics: their types, their clients, the engine's side, and the cases that test them.
  /^packages\/(?:core\/src\/(?:operations|values)|client\/src\/tables|engine\/src\/(?:operations|expression)|port-suite\/src\/cases)\//,
  // The layouts of mail.
  /^packages\/mail\/src\/layouts\/[\w-]+\//,
  // The query languages of mail and shadows.
  /^packages\/(?:mail\/src\/search|shadow\/src)\/query\//,
  // The suites of the stores.
  /^packages\/[\w-]+\/src\/testing\/(?:[\w-]+\/)?[\w-]+-cases\.ts$/,
  // The adapters for other libraries.
  /^packages\/(?:castore|emmett)\/src\//,
  // What each package accepts with every call.
  /\/call-options\.ts$/,
  // A type of the HTTP API, which the console cannot import.
  /^packages\/tablekeep\/(?:console\/tables\/api|src\/server\/tables)\/table-facts\.ts$/,
];

/** Named after the command of the program, which is often named after what it works on. */
const command = /^packages\/tablekeep\/src\/cli\/commands\//;

test("no two source files have the same name, except in parallel places", async () => {
  const sources = (await checkoutFiles())
    .map(({ path }) => path)
    .filter((path) => /^packages\/[\w-]+\/(?:src|console)\/.*\.tsx?$/.test(path))
    .filter((path) => !/\.(?:test|test-d|d)\.ts$/.test(path) && !command.test(path));
  expect(sources.length).toBeGreaterThan(1_000);
  const byName = new Map<string, string[]>();
  for (const path of sources) {
    const name = path.replace(/^.*\/|\.tsx?$/g, "");
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  const shared = [...byName.values()].filter(
    (paths) => paths.length > 1 && !parallels.some((place) => paths.every((path) => place.test(path))),
  );
  expect(shared).toEqual([]);
});
