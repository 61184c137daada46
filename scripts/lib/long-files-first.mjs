/**
 * The order of test files: long ones first, so that no worker is left with one of them at the end. Files that share the
 * process of a worker come in a row, project by project: a worker's process ends with the project.
 */
import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";
import { rootFolder } from "./run-command.mjs";

/** Projects in the order in which they run; others follow. */
const projects = ["unit-alone", "unit", "packages", "browser", "engine-endpoint"];

/** Files that take more than about ten seconds, the longest first. A run without earlier results needs them. */
const longFiles = [
  "packages/tablekeep/test/security/client-isolation.test.ts",
  "packages/tablekeep/test/browser/hostile-mail.test.ts",
  "scripts/packages/page-blocks.test.ts",
  "scripts/packages/packages.test.ts",
  "examples/cart/test/kill.test.ts",
  "examples/bank/test/kill.test.ts",
  "packages/entity/test/memory.test.ts",
  "packages/tablekeep/test/kills/kill.test.ts",
  "examples/test-fixtures/test/playwright.test.ts",
  "packages/tablekeep/test/waits/waits.test.ts",
  "packages/tablekeep/test/bin.test.ts",
  "packages/tablekeep/test/browser/mail-changes.test.ts",
  "packages/mail/test/large/large-messages.test.ts",
  "packages/mail/test/large/large-memory.test.ts",
  "packages/engine/test/kill.test.ts",
  "packages/journal/test/faults/stop-anywhere.test.ts",
  "packages/journal/test/simulation/journal-simulation.test.ts",
  "packages/journal/test/faults/two-writers.test.ts",
  "packages/journal/test/faults/between-items.test.ts",
  "packages/journal/test/journal-suite.test.ts",
  "packages/tablekeep/test/port-suite-sdk.test.ts",
  "packages/journal/test/simulation/protocol-model.test.ts",
  "packages/journal/test/simulation/packed-model.test.ts",
  "packages/journal/test/original-rows.test.ts",
  "packages/journal/src/tools/copy/migrate-journal.test.ts",
  "packages/journal/test/sharing/sharing-with-akka.test.ts",
  "packages/entity/test/two-hosts.test.ts",
  "packages/shadow/test/mixed-rows/mixed-rows.test.ts",
  "packages/journal/src/tools/export/export-import.test.ts",
  "packages/journal/test/faults/purged-meanwhile.test.ts",
  "packages/client/src/http/http-limits.test.ts",
  "packages/mail/test/oracle/search-oracle.test.ts",
  "packages/shadow/test/simulation/shadow-simulation.test.ts",
  "packages/engine/test/port-suite.test.ts",
  "packages/tablekeep/test/port-suite-http.test.ts",
  "packages/journal/src/tools/repair-journal.test.ts",
];

/** @param {{ project: { name: string }, moduleId: string }} file */
function placeOf({ project, moduleId }) {
  const at = projects.indexOf(project.name);
  const long = longFiles.indexOf(relative(rootFolder, moduleId).replaceAll("\\", "/"));
  return { project: at === -1 ? projects.length : at, file: long === -1 ? longFiles.length : long };
}

export class LongFilesFirst extends BaseSequencer {
  /** @param {Parameters<BaseSequencer["sort"]>[0]} files */
  async sort(files) {
    const sorted = await super.sort(files);
    return sorted
      .map((file) => ({ file, place: placeOf(file) }))
      .toSorted((one, other) => one.place.project - other.place.project || one.place.file - other.place.file)
      .map(({ file }) => file);
  }
}
