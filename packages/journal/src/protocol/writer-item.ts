import type { Item } from "@tablekeep/core";
import { numberOf } from "../layouts/layout.ts";

/** A batch whose rows are being written before its commit. */
export interface Stage {
  readonly writeId: string;
  readonly first: number;
  readonly last: number;
}

/** A batch that will never be committed. */
export interface ClearedStage extends Stage {
  /** The writer that cleared its own stage; undefined if another one did. */
  readonly by?: string;
}

/**
 * The low mark in the writer item: everything below it is deleted. A delete raises it before it removes a row. If
 * deletes leave no tombstones, every append checks it.
 */
export const guardAttribute = "low";

/** The contents of an id's writer item: the current writer, and what is staged. */
export interface WriterState {
  /** Raised when a stage is cleared, and by every recovery under strict fencing. */
  readonly epoch: number;
  readonly stage: Stage | undefined;
  /** The low mark of the writer item: everything below it is deleted. 0 if there is none. */
  readonly low: number;
  /** A cleared stage, while rows of it may still exist. */
  readonly cleared: ClearedStage | undefined;
}

/** Reads a writer item; an id that never had one is at epoch 0. */
export function writerState(item: Item | undefined): WriterState {
  return {
    epoch: numberOf(item, "epoch") ?? 0,
    low: numberOf(item, guardAttribute) ?? 0,
    stage: readStage(item?.["stage"]?.M),
    cleared: readStage(item?.["cleared"]?.M),
  };
}

function readStage(value: Item | undefined): ClearedStage | undefined {
  return (
    value && {
      writeId: value["wid"]?.S ?? "",
      first: numberOf(value, "first") ?? 0,
      last: numberOf(value, "last") ?? 0,
      by: value["by"]?.S,
    }
  );
}

/** The attributes that record a stage. */
export function stageValue({ writeId, first, last, by }: ClearedStage): Item[string] {
  const numbers = { first: { N: String(first) }, last: { N: String(last) } };
  return { M: { wid: { S: writeId }, ...numbers, ...(by !== undefined && { by: { S: by } }) } };
}

/** The condition that the writer item is still as it was read, with its values. */
export function unchanged(state: Pick<WriterState, "epoch" | "stage">): {
  readonly expression: string;
  readonly values: Item;
} {
  const epoch = state.epoch === 0 ? "(attribute_not_exists(epoch) OR epoch = :epoch)" : "epoch = :epoch";
  const values: Item = { ":epoch": { N: String(state.epoch) } };
  if (state.stage === undefined) return { expression: `${epoch} AND attribute_not_exists(stage)`, values };
  return {
    expression: `${epoch} AND stage.wid = :wid`,
    values: { ...values, ":wid": { S: state.stage.writeId } },
  };
}

/** The condition that sequence numbers from `first` on are not deleted, with its values. */
export function notDeleted(first: number): { readonly expression: string; readonly values: Item } {
  return {
    expression: `(attribute_not_exists(${guardAttribute}) OR ${guardAttribute} <= :first)`,
    values: { ":first": { N: String(first) } },
  };
}

/** Combines conditions that must all hold. */
export function allOf(...conditions: readonly { readonly expression: string; readonly values: Item }[]): {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues: Item;
} {
  return {
    ConditionExpression: conditions.map(({ expression }) => expression).join(" AND "),
    ExpressionAttributeValues: Object.assign({}, ...conditions.map(({ values }) => values)),
  };
}
