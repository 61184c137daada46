import { type DynamoPort, type OptionChecks, optionCheck, type TextChunks } from "@tablekeep/core";
import { checkOptions } from "../model/shadow-error.ts";
import { fetchRows, inParallel } from "../store/fetch-rows.ts";
import type { ShadowsOptions, StoreCall } from "../store/store-options.ts";
import type { ImportShadowsOptions } from "./import-options.ts";
import { type ImportedAs, importMemory, importRow } from "./import-row.ts";
import { exportLines } from "./read-shadow-export.ts";
import { type ExportedMemory, type ExportedRow, exportInvalid } from "./shadow-export-format.ts";
import { toolCalls, toolChecks } from "./tool-call.ts";

/** The result of an import. */
export interface ImportShadowsSummary {
  /** Items of shadows in the export. */
  readonly shadows: number;
  /** Items that were written. */
  readonly written: number;
  /** Items that the table already had. */
  readonly same: number;
  /** Items that the rule did not replace. */
  readonly kept: number;
  readonly conflicts: number;
  /** Newly remembered versions of deleted shadows. */
  readonly deleted: number;
}

const checks: OptionChecks<ImportShadowsOptions> = {
  ...toolChecks,
  existing: optionCheck.oneOf("conflict", "keep", "replace-older"),
  onConflict: optionCheck.callback,
};

/** The number of lines that are read together. */
const batchSize = 100;
const parallel = 8;

/**
 * Writes the shadows of an export into a table, with their versions, times, tokens and metadata. A shadow that already exists in the same state is
 * skipped, so an interrupted import can simply be repeated. Versions never go back: a shadow whose deleted version is still remembered, or
 * in the history, continues after that one. Pass a function that opens the export, or an array, and all lines are checked before the first is
 * written.
 *
 * @example
 * const { written } = await importShadows(port, () => createReadStream("shadows.jsonl"), { table: "things" });
 */
export async function importShadows(
  port: DynamoPort,
  chunks: TextChunks | (() => TextChunks),
  store: ShadowsOptions = {},
  options: ImportShadowsOptions = {},
): Promise<ImportShadowsSummary> {
  checkOptions(options, checks);
  const calls = toolCalls(port, store, options);
  const { model } = calls().options;
  if (typeof chunks === "function" || Array.isArray(chunks))
    for await (const _ of checkedLines(typeof chunks === "function" ? chunks() : chunks, model));
  const counts = { written: 0, same: 0, kept: 0, conflict: 0 };
  const totals = { shadows: 0, deleted: 0 };
  let batch: (ExportedRow | ExportedMemory)[] = [];
  const flush = async () => {
    for (const [line, result] of await importBatch(calls, batch, options)) {
      if (line.what === "memory") totals.deleted += result === "written" ? 1 : 0;
      else {
        totals.shadows++;
        counts[result]++;
      }
    }
    batch = [];
    options.onProgress?.(totals.shadows);
  };
  for await (const line of checkedLines(typeof chunks === "function" ? chunks() : chunks, model)) {
    batch.push(line);
    if (batch.length === batchSize) await flush();
  }
  await flush();
  const { written, same, kept, conflict: conflicts } = counts;
  return { shadows: totals.shadows, written, same, kept, conflicts, deleted: totals.deleted };
}

/** The lines of a complete export, whose shadows are stored as this store does. */
async function* checkedLines(
  chunks: TextChunks,
  model: string,
): AsyncGenerator<ExportedRow | ExportedMemory, void, undefined> {
  let lines = 0;
  let expected: number | undefined;
  let last = 0;
  for await (const { line, number } of exportLines(chunks)) {
    last = number;
    if (expected !== undefined) throw exportInvalid(number, "follows the last line of the export");
    if (line.what === "head") continue;
    if (line.what === "end") {
      expected = line.lines;
      continue;
    }
    const own = line.kind === "combined" ? "combined" : "separate";
    if (own !== model)
      throw exportInvalid(
        number,
        `has the model ${own}, but this store has the model ${model}: open the store with the model ${own}`,
      );
    lines++;
    yield line;
  }
  if (expected === undefined)
    throw exportInvalid(last + 1, "is missing: the export is incomplete, continue it or export again");
  if (expected !== lines) throw exportInvalid(last, `counts ${expected} lines, but there are ${lines}`);
}

/** Imports lines, several at a time; lines of one item in their order. */
async function importBatch(
  calls: () => StoreCall,
  lines: readonly (ExportedRow | ExportedMemory)[],
  options: ImportShadowsOptions,
): Promise<[ExportedRow | ExportedMemory, ImportedAs][]> {
  const results: [ExportedRow | ExportedMemory, ImportedAs][] = [];
  const failures: unknown[] = [];
  const current = await fetchRows(
    calls(),
    lines.filter(({ what }) => what === "row"),
  );
  const tasks = lines.map((line) => async () => {
    if (failures.length > 0) return;
    try {
      const result =
        line.what === "row"
          ? await importRow(calls(), line, current(line), options)
          : await importMemory(calls(), line);
      results.push([line, result]);
    } catch (error) {
      failures.push(error);
    }
  });
  await inParallel(tasks, parallel);
  if (failures.length > 0) throw failures[0];
  return results;
}
