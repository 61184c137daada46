import type { Item } from "@tablekeep/core";
import { numberOf } from "../layouts/layout.ts";

/** A batch that is being written ahead of its commit. */
export interface Stage {
  readonly writeId: string;
  readonly first: number;
  readonly last: number;
}

/** A batch that will never be committed. */
export interface ClearedStage extends Stage {
  /** The writer that took back what was its own; undefined where another has cleared it. */
  readonly by?: string;
}

/**
 * The low mark in the writer item: everything below it is deleted. A delete raises it before it drops a row. Where deletes
 * leave no tombstones, every append checks it.
 */
export const guardAttribute = "low";

/** The contents of an id's writer item: the current writer, and what is staged. */
export interface WriterState {
  /** Raised by whatever clears a stage, and by every recovery under strict fencing. */
  readonly epoch: number;
  readonly stage: Stage | undefined;
  /** Everything below this number is deleted, as far as the writer item says; 0 if it says nothing. */
  readonly low: number;
  /** A stage that was cleared, as long as rows of it may be there. */
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

/** The condition that numbers from `first` on are not deleted, with its values. */
export function notDeleted(first: number): { readonly expression: string; readonly values: Item } {
  return {
    expression: `(attribute_not_exists(${guardAttribute}) OR ${guardAttribute} <= :first)`,
    values: { ":first": { N: String(first) } },
  };
}

/** Conditions that must all hold, as one. */
export function allOf(...conditions: readonly { readonly expression: string; readonly values: Item }[]): {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues: Item;
} {
  return {
    ConditionExpression: conditions.map(({ expression }) => expression).join(" AND "),
    ExpressionAttributeValues: Object.assign({}, ...conditions.map(({ values }) => values)),
  };
}
