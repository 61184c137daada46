import { itemSize, maxItemBytes } from "@tablekeep/client";
import { type Item, type OptionChecks, optionCheck, type TransactWriteItem } from "@tablekeep/core";
import { toAttribute } from "../document/document-attributes.ts";
import type { DocumentValue } from "../document/document-value.ts";
import { type Half, type RowKind, ShadowError, type ShadowModel } from "../model/shadow-error.ts";
import {
  createRow,
  firstVersion,
  newRow,
  requireAbsent,
  settleMemory,
  type VersionMemory,
} from "../rows/row-actions.ts";
import { type RowId, rowText, type ShadowId } from "../rows/row-keys.ts";
import {
  attributeOf,
  lastVersion,
  type RowContent,
  type RowMetadata,
  rowContent,
  versionUnsafe,
} from "../rows/stored-row.ts";
import { type KeptUpdate, updateRow } from "../rows/update-row.ts";
import {
  anything,
  checkOperation,
  expectedVersions,
  operationChecks,
  operationInvalid,
  shadowIdOf,
} from "./check-operation.ts";
import { entryOf, type HistoryTime } from "./keep-history.ts";
import type { Shadow, WriteOperation } from "./shadows.ts";

const checks: OptionChecks<WriteOperation> = {
  ...operationChecks,
  reported: anything,
  desired: anything,
  version: anything,
  replaces: (value) => (typeof value === "object" && value !== null ? undefined : "must be a shadow"),
  clientToken: optionCheck.string,
  metadata: (value) => (typeof value === "object" ? undefined : "must be an object"),
};

/** One item of a write, and its expected version. */
export interface PlannedRow {
  readonly content: RowContent;
  readonly expected: number | undefined;
  /** Attributes that the item must have, besides its version. @default none */
  readonly replaced?: Item;
}

/** The items of a write. Throws for an invalid write, or one that DynamoDB cannot store. */
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
    throw operationInvalid(shadow, "a combined write needs both halves: pass reported and desired");
  if (halves.length === 0) throw operationInvalid(shadow, "a write needs reported or desired");
  const { replaces } = operation;
  if (replaces !== undefined) return [planReplacement(operation, replaces, model, timeStamp)];
  const expected = expectedVersions(shadow, model, halves, operation.version);
  if ([...expected.values()].includes(lastVersion)) throw versionUnsafe(shadow, String(lastVersion));
  return [...expected].map(([kind, version]) => ({
    content: checkSize(shadow, contentOf({ ...shadow, kind }, operation, timeStamp)),
    expected: version,
  }));
}

/** The item of a write that replaces a known shadow. */
function planReplacement(
  operation: WriteOperation,
  { reported, desired }: Shadow,
  model: ShadowModel,
  timeStamp: bigint,
): PlannedRow {
  const shadow = shadowIdOf(operation);
  if (model !== "combined" || operation.version !== undefined || reported === undefined)
    throw operationInvalid(
      shadow,
      "replaces requires a combined shadow and cannot be used with version: omit version",
    );
  if (reported.version === lastVersion) throw versionUnsafe(shadow, String(lastVersion));
  return {
    content: checkSize(shadow, contentOf({ ...shadow, kind: "combined" }, operation, timeStamp)),
    expected: reported.version,
    replaced: {
      TimeStamp: { N: String(reported.timeStamp) },
      Desired: toAttribute(desired?.value ?? null),
      Reported: toAttribute(reported.value),
    },
  };
}

function contentOf(row: RowId, operation: WriteOperation, timeStamp: bigint): RowContent {
  const holds = (half: Half) => row.kind === half || row.kind === "combined";
  const given = (half: Half): DocumentValue => (holds(half) ? (operation[half] ?? null) : null);
  const reported = holds("reported") ? operation.metadata?.reported : undefined;
  const desired = holds("desired") ? operation.metadata?.desired : undefined;
  const isKnown = reported !== undefined || desired !== undefined;
  const metadata: RowMetadata = { ...(reported && { reported }), ...(desired && { desired }) };
  return rowContent(row, {
    reported: given("reported"),
    desired: given("desired"),
    clientToken: operation.clientToken ?? "",
    timeStamp,
    metadata: isKnown ? metadata : undefined,
  });
}

/** The maximum bytes that are added to the item later: a write id of 22 characters, and the largest version. */
const reserveBytes = 7 + 22 + 8;

function checkSize({ id, name }: ShadowId, content: RowContent): RowContent {
  const actual = itemSize(newRow(content, 1)) + reserveBytes;
  if (actual <= maxItemBytes) return content;
  throw new ShadowError(
    "SHADOW_TOO_LARGE",
    `shadow "${name}" of ${id} needs ${actual} bytes; an item holds at most ${maxItemBytes}`,
    { id, name, actual, maximum: maxItemBytes },
  );
}

/** The attempt for one item: updates it, from a given version or from any, or creates it. */
export type RowStep =
  | {
      readonly mode: "update";
      readonly from: number | undefined;
      /** Attributes whose names the item spells in another case. */
      readonly odd?: readonly string[];
      /** Whether the item was last written with a history. */
      readonly wasKept?: boolean;
      /** With a history: the new version, and whether the history must end at `from`. */
      readonly kept?: KeptUpdate;
    }
  | {
      readonly mode: "create";
      readonly memory: VersionMemory | undefined;
      /** With a history: the first version. */
      readonly kept?: number;
    };

/** One item of a write in flight. */
export interface RowWrite extends PlannedRow {
  readonly step: RowStep;
}

/** The purpose of one action of a transaction. */
export interface ActionRole {
  readonly role: "item" | "memory" | "duplicate" | "entry";
  /** The position of its item in the write. */
  readonly row: number;
}

/** The first attempt: most writes change an existing shadow. */
export function firstStep({ expected }: PlannedRow): RowStep {
  return expected === 0 ? { mode: "create", memory: undefined } : { mode: "update", from: expected };
}

/** The version after a step; undefined if only DynamoDB knows it. */
export function versionAfter(step: RowStep): number | undefined {
  if (step.mode === "create") return step.kept ?? firstVersion(step.memory);
  if (step.kept !== undefined) return step.kept.to;
  return step.from === undefined ? undefined : step.from + 1;
}

/**
 * The outcome of a write with a lost response, if the item shows another write. If the item has the version that this write would have
 * had, this write was not applied; a higher version may follow this write.
 */
export function attributeVersion(current: Item | undefined, step: RowStep | undefined): "theirs" | "unclear" {
  const version = current === undefined ? undefined : attributeOf(current, "Version")?.N;
  const target = step === undefined ? undefined : versionAfter(step);
  return target !== undefined && version !== undefined && Number(version) === target ? "theirs" : "unclear";
}

/** The transaction of a write: its items, the remembered versions of deleted ones, and the other model's items, which must be absent. */
export function transactionOf(
  table: string,
  rows: readonly RowWrite[],
  refuseDuplicates: boolean,
  history?: HistoryTime,
): { actions: TransactWriteItem[]; roles: ActionRole[] } {
  const actions: TransactWriteItem[] = [];
  const roles: ActionRole[] = [];
  const add = (action: TransactWriteItem, role: ActionRole["role"], row: number) => {
    actions.push(action);
    roles.push({ role, row });
  };
  const checked = new Set<string>();
  for (const [at, { content, step }] of rows.entries()) {
    const version = versionAfter(step);
    if (history !== undefined && version !== undefined) {
      const previous = previousOf(step);
      add({ Put: entryOf(history, content, { version, previous }) }, "entry", at);
    }
    if (step.mode === "update") {
      add({ Update: updateRow(table, content, step) }, "item", at);
      continue;
    }
    add({ Put: createRow(table, content, step.memory, step.kept) }, "item", at);
    add(settleMemory(table, content, step.memory), "memory", at);
    for (const duplicate of refuseDuplicates ? duplicatesOf(content) : []) {
      const text = rowText(duplicate);
      if (!checked.has(text)) add(requireAbsent(table, duplicate), "duplicate", at);
      checked.add(text);
    }
  }
  return { actions, roles };
}

/** The version that an entry follows: 0 for a creation, -1 if others may have written without history before. */
function previousOf(step: RowStep): number {
  if (step.mode === "create") return 0;
  return step.from !== undefined && (step.kept?.continues || step.wasKept) ? step.from : -1;
}

/** The items of a shadow in the other model. */
export function duplicatesOf({ id, name, kind }: RowId): RowId[] {
  const others: readonly RowKind[] = kind === "combined" ? ["reported", "desired"] : ["combined"];
  return others.map((other) => ({ id, name, kind: other }));
}

/** The names of the table's key attributes. */
export const keyNames = ["PK", "SK"] as const;
