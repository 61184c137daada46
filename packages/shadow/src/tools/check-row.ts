import type { Item } from "@tablekeep/core";
import { isObject } from "../document/document-value.ts";
import { isShadowError } from "../model/shadow-error.ts";
import type { RowId } from "../rows/row-keys.ts";
import { miscasedNames, readRow, type StoredRow, versionOf } from "../rows/stored-row.ts";
import type { ShadowFinding } from "./shadow-finding.ts";

/** The readable parts of an item, and its problems. */
export interface RowFacts {
  readonly id: RowId;
  /** Undefined for a corrupt item. */
  readonly row?: StoredRow;
  readonly findings: readonly ShadowFinding[];
}

/** Checks one item of a shadow on its own. */
export function checkRow(item: Item, id: RowId): RowFacts {
  const findings: ShadowFinding[] = [];
  const add = (kind: ShadowFinding["kind"], severity: ShadowFinding["severity"], message: string) =>
    findings.push({ id: id.id, name: id.name, item: id.kind, kind, severity, message });
  let row: StoredRow;
  try {
    row = readRow(item);
  } catch (error) {
    add("corrupt", "error", corruptText(error));
    return { id, findings };
  }
  if (row.version === 0) add("corrupt", "error", "has version 0: versions begin at 1");
  const odd = miscasedNames(item);
  if (odd.length > 0)
    add("attribute-names", "info", `has ${odd.join(", ")} in another case: the next write corrects it`);
  for (const half of id.kind === "combined" ? (["desired", "reported"] as const) : [id.kind]) {
    const value = row[half];
    if (value !== null && !isObject(value))
      add("not-an-object", "warning", `has a ${half} state that is not an object, and is ignored`);
  }
  if (!hasReadableMetadata(item))
    add("metadata", "warning", "has metadata that cannot be read: times of values are that of the item");
  return { id, row, findings };
}

function hasReadableMetadata(item: Item): boolean {
  const { Metadata: stored } = item;
  if (stored === undefined) return true;
  try {
    const parsed: unknown = JSON.parse(stored.S ?? "");
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

/** Checks the remembered version of a deleted item, which may exist again. */
export function checkMemory(item: Item, id: RowId, live: RowFacts | undefined): ShadowFinding[] {
  const base = { id: id.id, name: id.name, item: id.kind };
  let version: number;
  try {
    version = versionOf(item, id);
  } catch (error) {
    const message = `has a remembered version that is corrupt: ${corruptText(error)}`;
    return [{ ...base, kind: "corrupt", severity: "error", message }];
  }
  const current = live?.row?.version;
  if (current === undefined || current > version) return [];
  const message = `has version ${current}, but version ${version} was deleted before: another program has created it again, and clients that saw the higher version may ignore it`;
  return [{ ...base, kind: "version-behind", severity: "warning", message }];
}

function corruptText(error: unknown): string {
  if (isShadowError(error, "SHADOW_ITEM_CORRUPT"))
    return `attribute ${error.details.attribute} ${error.details.reason}`;
  if (isShadowError(error, "SHADOW_VERSION_UNSAFE")) return `version ${error.details.version} is too high`;
  throw error;
}
