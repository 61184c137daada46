import { transactWrite } from "@tablekeep/client";
import { rememberVersion, requireAbsent } from "../rows/row-actions.ts";
import type { StoreCall } from "../store/store-options.ts";
import type { ExportedMemory } from "./export-line.ts";

/** What became of a line. */
export type ImportedAs = "written" | "same" | "kept" | "conflict";

/** Remembers the version of a deleted shadow, unless the shadow exists, or a version as high is remembered. */
export async function importMemory(call: StoreCall, memory: ExportedMemory): Promise<ImportedAs> {
  const { table, clock, logger } = call.options;
  const now = Math.floor(clock.now() / 1000);
  const { version, expiresAt } = memory;
  if (expiresAt <= now) return "kept";
  const put = rememberVersion(table, memory, String(version), { now, expiresAt });
  const outcome = await transactWrite(call.port, [{ Put: put }, requireAbsent(table, memory)], {
    logger,
    ...call.request(),
  });
  if (outcome.kind === "ok") return "written";
  if (outcome.kind === "conflict") return "kept";
  throw outcome.error;
}
