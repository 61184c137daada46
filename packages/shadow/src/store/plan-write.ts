import { itemSize, maxItemBytes } from "@tablekeep/client";
import { type OptionChecks, optionCheck } from "@tablekeep/core";
import type { DocumentValue } from "../document/document-value.ts";
import { lastVersion, newRow } from "../rows/row-actions.ts";
import { type RowContent, rowContent } from "../rows/row-content.ts";
import type { RowId, ShadowId } from "../rows/row-keys.ts";
import type { Half, ShadowModel } from "../rows/row-kind.ts";
import { type RowMetadata, versionUnsafe } from "../rows/stored-row.ts";
import { ShadowError } from "../shadow-error.ts";
import {
  anything,
  checkOperation,
  expectedVersions,
  operationChecks,
  operationInvalid,
  shadowIdOf,
} from "./check-operation.ts";
import type { WriteOperation } from "./shadows.ts";

const checks: OptionChecks<WriteOperation> = {
  ...operationChecks,
  reported: anything,
  desired: anything,
  version: anything,
  clientToken: optionCheck.string,
  metadata: (value) => (typeof value === "object" ? undefined : "must be an object"),
};

/** One item of a write, and the version that is expected of it. */
export interface PlannedRow {
  readonly content: RowContent;
  readonly expected: number | undefined;
}

/** The items of a write. Throws for one that makes no sense, or that DynamoDB cannot store. */
export function planWrite(
  operation: WriteOperation,
  defaultModel: ShadowModel,
  timeStamp: bigint,
): PlannedRow[] {
  checkOperation(operation, checks);
  const shadow = shadowIdOf(operation);
  const model = operation.model ?? defaultModel;
  const halves = (["reported", "desired"] as const).filter((each) => operation[each] !== undefined);
  if (model === "combined" && halves.length < 2)
    throw operationInvalid(shadow, "a combined write needs both halves: give reported and desired");
  if (halves.length === 0) throw operationInvalid(shadow, "a write needs reported or desired");
  const expected = expectedVersions(shadow, model, halves, operation.version);
  if ([...expected.values()].includes(lastVersion)) throw versionUnsafe(shadow, String(lastVersion));
  return [...expected].map(([kind, version]) => ({
    content: checkSize(shadow, contentOf({ ...shadow, kind }, operation, timeStamp)),
    expected: version,
  }));
}

function contentOf(row: RowId, operation: WriteOperation, timeStamp: bigint): RowContent {
  const holds = (half: Half) => row.kind === half || row.kind === "combined";
  const given = (half: Half): DocumentValue => (holds(half) ? (operation[half] ?? null) : null);
  const metadata: RowMetadata = Object.fromEntries(
    Object.entries(operation.metadata ?? {}).filter(([half]) => holds(half as Half)),
  );
  return rowContent(row, {
    reported: given("reported"),
    desired: given("desired"),
    clientToken: operation.clientToken ?? "",
    timeStamp,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
  });
}

/** What the item will have beside what is known here: a write id of 22 characters, and the largest version. */
const reserveBytes = 7 + 22 + 8;

function checkSize({ id, name }: ShadowId, content: RowContent): RowContent {
  const actual = itemSize(newRow(content, 1)) + reserveBytes;
  if (actual <= maxItemBytes) return content;
  throw new ShadowError(
    "SHADOW_TOO_LARGE",
    `shadow "${name}" of ${id} needs ${actual} bytes, an item holds ${maxItemBytes} (make it smaller)`,
    { id, name, actual, maximum: maxItemBytes },
  );
}
