/**
 * The order of test files: long ones first, so that no worker is left with one of them at the end. Files that share the
 * process of a worker come in a row, project by project: a worker's process ends with the project.
 */
import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";
import { rootFolder } from "./run-command.mjs";

/** Projects in the order in which they run; others follow. */
const projects = [
  "unit-programs",
  "unit-alone",
  "unit",
  "unit-served",
  "packages",
  "browser",
  "engine-endpoint",
];

/** Files that take more than about ten seconds, the longest first. A run without earlier results needs them. */
const longFiles = [
  "packages/tablekeep/test/security/client-isolation.test.ts",
  "scripts/packages/page-blocks.test.ts",
  "packages/journal/test/faults/two-writers.test.ts",
  "packages/journal/test/journal-suite.local.test.ts",
  "packages/journal/src/tools/copy/migrate-journal.test.ts",
  "packages/journal/test/faults/stop-anywhere.test.ts",
  "examples/cart/test/kill.test.ts",
  "packages/tablekeep/test/kills/kill.test.ts",
  "packages/journal/test/simulation/journal-simulation.test.ts",
  "packages/journal/test/simulation/protocol-model.test.ts",
  "packages/journal/test/packed-damage.test.ts",
  "packages/engine/test/kill.test.ts",
  "packages/tablekeep/test/browser/hostile-mail.test.ts",
  "packages/feed/test/kill/feed-kill.local.test.ts",
  "packages/mail/test/large/large-messages.test.ts",
  "packages/journal/test/packed-damage-beside.test.ts",
  "packages/tablekeep/test/shadow/kill.test.ts",
  "packages/mail/test/signature-blocks.test.ts",
  "examples/bank/test/kill.test.ts",
  "packages/journal/test/journal-suite.test.ts",
  "packages/journal/test/faults/purged-meanwhile.test.ts",
  "packages/tablekeep/test/bin.test.ts",
  "packages/mail/test/large/large-memory.test.ts",
  "packages/client/src/sdk/sdk-port.local.test.ts",
  "scripts/packages/packages.test.ts",
  "packages/client/src/sdk/sdk-client.local.test.ts",
  "packages/client/src/http/http-port.local.test.ts",
  "packages/engine/test/port-suite.test.ts",
  "packages/tablekeep/test/browser/mail-changes.test.ts",
  "packages/tablekeep/test/waits/waits.test.ts",
  "packages/journal/test/expiry.test.ts",
  "packages/tablekeep/test/retries/one-budget.test.ts",
  "packages/engine/test/differential/differential.local.test.ts",
  "packages/entity/test/two-hosts.test.ts",
  "packages/tablekeep/test/browser/tables.test.ts",
  "packages/mail/test/oracle/search-oracle.test.ts",
  "packages/feed/test/kill/projection-kill.local.test.ts",
  "packages/journal/src/snapshots/cut-off-snapshots.test.ts",
  "packages/shadow/test/rollouts.test.ts",
  "packages/tablekeep/test/mcp/real-clients.test.ts",
  "packages/feed/test/model.test.ts",
  "packages/tablekeep/test/browser/hostile-data.test.ts",
  "packages/client/src/http/http-limits.test.ts",
  "packages/journal/test/faults/between-items.test.ts",
  "examples/test-fixtures/test/playwright.test.ts",
  "packages/tablekeep/test/browser/edits.test.ts",
  "packages/tablekeep/test/verbs-while-served.test.ts",
  "packages/tablekeep/test/security/slow-clients.test.ts",
  "packages/tablekeep/test/browser/accessibility.test.ts",
  "packages/tablekeep/test/browser/mail.test.ts",
  "packages/shadow/test/mixed-rows/mixed-rows.test.ts",
  "packages/journal/test/faults/partly-visible.test.ts",
  "packages/tablekeep/test/browser/time-travel.test.ts",
  "packages/tablekeep/test/shadow/rules.test.ts",
  "packages/journal/test/original-rows.test.ts",
  "packages/journal/test/tools.local.test.ts",
  "packages/journal/test/cost/partition-rate.test.ts",
  "packages/journal/src/tools/repair-journal.test.ts",
  "packages/mail/test/mail-suite.local.test.ts",
  "packages/tablekeep/test/smtp/memory.test.ts",
  "packages/tablekeep/test/mail-hostile.test.ts",
  "packages/mail/test/imap/uids.test.ts",
  "packages/tablekeep/test/shadow/sync.test.ts",
  "packages/mail/test/crash-points.test.ts",
  "packages/tablekeep/test/port-suite-sdk.test.ts",
  "packages/journal/test/cost/journal-cost.test.ts",
  "packages/tablekeep/test/browser/rollouts.test.ts",
  "packages/journal/test/simulation/packed-model.test.ts",
  "packages/client/src/tables/update-table.local.test.ts",
  "packages/tablekeep/test/shadow/sync-kill.test.ts",
  "packages/tablekeep/test/mcp/http/real-clients.test.ts",
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
