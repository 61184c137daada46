import type { Item, TransactWriteItem } from "@tablekeep/core";
import {
  createRow,
  firstVersion,
  requireAbsent,
  settleMemory,
  updateRow,
  type VersionMemory,
} from "../rows/row-actions.ts";
import { type RowId, rowText } from "../rows/row-keys.ts";
import type { RowKind } from "../rows/row-kind.ts";
import { attributeOf } from "../rows/stored-row.ts";
import type { PlannedRow } from "./plan-write.ts";

/** What is tried for one item: to update it, from a version or any, or to create it. */
export type RowStep =
  | {
      readonly mode: "update";
      readonly from: number | undefined;
      /** Attributes whose names the item spells in another case. */
      readonly odd?: readonly string[];
    }
  | { readonly mode: "create"; readonly memory: VersionMemory | undefined };

/** One item of a write under way. */
export interface RowWrite extends PlannedRow {
  readonly step: RowStep;
}

/** What one action of a transaction is there for. */
export interface ActionRole {
  readonly role: "item" | "memory" | "twin";
  /** The position of its item in the write. */
  readonly row: number;
}

/** The first thing to try: most writes meet a shadow that exists. */
export function firstStep({ expected }: PlannedRow): RowStep {
  return expected === 0 ? { mode: "create", memory: undefined } : { mode: "update", from: expected };
}

/** The version that a step leads to; undefined where only DynamoDB knows. */
export function versionAfter(step: RowStep): number | undefined {
  if (step.mode === "create") return firstVersion(step.memory);
  return step.from === undefined ? undefined : step.from + 1;
}

/**
 * Whose write an item shows after a lost answer, where it is not this one's: another's took the only version that this
 * write could have had. A higher version may have come on top of this one.
 */
export function attributeVersion(current: Item | undefined, step: RowStep | undefined): "theirs" | "unclear" {
  const version = current === undefined ? undefined : attributeOf(current, "Version")?.N;
  const target = step === undefined ? undefined : versionAfter(step);
  return target !== undefined && version !== undefined && Number(version) === target ? "theirs" : "unclear";
}

/** The transaction of a write: its items, the memories of deleted ones, and the other model's items, which must be absent. */
export function transactionOf(
  table: string,
  rows: readonly RowWrite[],
  refuseTwins: boolean,
): { actions: TransactWriteItem[]; roles: ActionRole[] } {
  const actions: TransactWriteItem[] = [];
  const roles: ActionRole[] = [];
  const add = (action: TransactWriteItem, role: ActionRole["role"], row: number) => {
    actions.push(action);
    roles.push({ role, row });
  };
  const checked = new Set<string>();
  for (const [at, { content, step }] of rows.entries()) {
    if (step.mode === "update") {
      add({ Update: updateRow(table, content, step.from, step.odd) }, "item", at);
      continue;
    }
    add({ Put: createRow(table, content, step.memory) }, "item", at);
    add(settleMemory(table, content, step.memory), "memory", at);
    for (const twin of refuseTwins ? twinsOf(content) : []) {
      const text = rowText(twin);
      if (!checked.has(text)) add(requireAbsent(table, twin), "twin", at);
      checked.add(text);
    }
  }
  return { actions, roles };
}

function twinsOf({ id, name, kind }: RowId): RowId[] {
  const others: readonly RowKind[] = kind === "combined" ? ["reported", "desired"] : ["combined"];
  return others.map((other) => ({ id, name, kind: other }));
}

/** The names of the table's key attributes. */
export const keyNames = ["PK", "SK"] as const;
