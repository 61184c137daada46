import { type DynamoPort, type Item, optionCheck } from "@tablekeep/core";
import { checkOptions, isShadowError, type ShadowError } from "../model/shadow-error.ts";
import { memoryIdOf, memoryKey, rowIdOf, rowKey } from "../rows/row-keys.ts";
import { expiryAttribute, readRow, versionOf } from "../rows/stored-row.ts";
import type { ShadowsOptions, StoreCall } from "../store/store-options.ts";
import type { ExportedShadows } from "./read-shadow-export.ts";
import { endLine, exportInvalid, headLine, memoryLine, rowLine } from "./shadow-export-format.ts";
import { storedItems } from "./stored-items.ts";
import { type ShadowToolOptions, toolCalls, toolChecks } from "./tool-call.ts";

/** Options of an export. */
export interface ExportShadowsOptions extends ShadowToolOptions {
  /** Only the shadows of this thing. @default the shadows of all things, by a scan of the table */
  readonly thing?: string;
  /** The contents of an interrupted export: it is continued after its last complete line. @default nothing */
  readonly resume?: ExportedShadows;
  /** Called for each corrupt item, which is then skipped. @default the export ends with the error */
  readonly onCorrupt?: (error: ShadowError) => void;
}

/**
 * Returns the shadows of a table as lines of JSON, each with its line break: all names, versions, times, tokens and metadata, in both
 * models, and the remembered versions of deleted shadows. Holds one page of items in memory. While the table is written, it is not a
 * snapshot of one moment.
 *
 * @example
 * for await (const line of exportShadows(port, { table: "things" })) process.stdout.write(line);
 */
export async function* exportShadows(
  port: DynamoPort,
  store: ShadowsOptions = {},
  options: ExportShadowsOptions = {},
): AsyncGenerator<string, void, undefined> {
  checkOptions(options, {
    ...toolChecks,
    thing: optionCheck.string,
    resume: optionCheck.anything,
    onCorrupt: optionCheck.callback,
  });
  const { thing, resume, onProgress } = options;
  const calls = toolCalls(port, store, options);
  if (resume === undefined || resume.bytes === 0) yield headLine(thing);
  else if (resume.thing !== thing)
    throw exportInvalid(
      1,
      resume.thing === undefined ? "is of all things" : `is of the thing ${JSON.stringify(resume.thing)}`,
    );
  let lines = resume?.lines ?? 0;
  const last = resume?.last;
  const after = last && (last.isMemory ? memoryKey(last) : rowKey(last));
  for await (const items of storedItems(calls, { thing, after })) {
    const call = calls();
    for (const item of items) {
      const line = lineOf(call, item, options);
      if (line === undefined) continue;
      lines++;
      yield line;
    }
    onProgress?.(lines);
  }
  yield endLine(lines);
}

/** The line of an item; undefined for one that is not a shadow's, has expired, or is corrupt. */
function lineOf(call: StoreCall, item: Item, { onCorrupt }: ExportShadowsOptions): string | undefined {
  try {
    if (rowIdOf(item) !== undefined) return rowLine(readRow(item));
    const id = memoryIdOf(item);
    if (id === undefined) return undefined;
    const expiresAt = Math.floor(Number(item[expiryAttribute]?.N ?? 0));
    if (expiresAt * 1000 <= call.options.clock.now()) return undefined;
    return memoryLine({ ...id, version: versionOf(item, id), expiresAt });
  } catch (error) {
    if (onCorrupt === undefined) throw error;
    if (!isShadowError(error, "SHADOW_ITEM_CORRUPT") && !isShadowError(error, "SHADOW_VERSION_UNSAFE"))
      throw error;
    onCorrupt(error);
    return undefined;
  }
}
