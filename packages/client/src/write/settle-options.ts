import { type Item, type OptionChecks, type Outcome, optionCheck } from "@tablekeep/core";
import { type OperationOptions, operationOptionChecks } from "../retry/operation.ts";
import type { Applied, Attribution } from "./settle-write.ts";

/** Options of {@link settlePut}, {@link settleUpdate} and {@link settleDelete}. */
export interface SettleOptions extends OperationOptions {
  /**
   * Decides after a lost response whose write an item shows, where the write id does not: another write may have replaced
   * this one. Return `theirs` only on lasting evidence: no late copy of this write may be able to succeed. @default unclear
   */
  readonly attribution?: (current: Item | undefined) => Attribution;
  /**
   * Send the write again after its response was lost. A second copy of an unconditional put or delete overwrites
   * or removes what another client wrote in between; a condition that the write's own success makes false prevents that.
   * Without resending, the item is read back, and the outcome is `unknown` if the write is not found.
   * @default true with a condition, false without
   */
  readonly resendInDoubt?: boolean;
}

/** The checks of {@link SettleOptions}. */
export const settleOptionChecks: OptionChecks<SettleOptions> = {
  ...operationOptionChecks,
  attribution: optionCheck.callback,
  resendInDoubt: optionCheck.boolean,
};

/** Options of the writes that leave a write id on an item. */
export interface MarkedWriteOptions extends SettleOptions {
  /** The attribute that holds the write id. */
  readonly writeIdAttribute: string;
  /** The write id. @default a fresh one */
  readonly writeId?: string;
}

/** The checks of {@link MarkedWriteOptions}. */
export const markedWriteOptionChecks: OptionChecks<MarkedWriteOptions> = {
  ...settleOptionChecks,
  writeIdAttribute: optionCheck.nonEmptyString,
  writeId: optionCheck.nonEmptyString,
};

/** A write that is stored. */
export interface WriteResult {
  /** The attributes that `ReturnValues` requested. Undefined when the response was lost, except for ALL_NEW. */
  readonly attributes?: Item;
  /** The response was lost, and the write was found stored. */
  readonly found: boolean;
}

/** A write that is stored, and its id. */
export interface MarkedWriteResult extends WriteResult {
  readonly writeId: string;
}

/** Returns the outcome that the caller gets. */
export function toWriteResult(
  outcome: Outcome<Applied<{ Attributes?: Item }>>,
  returnValues: string | undefined,
): Outcome<WriteResult> {
  if (outcome.kind !== "ok") return outcome;
  const { output, current } = outcome.value;
  if (output !== undefined) return { kind: "ok", value: { attributes: output.Attributes, found: false } };
  const attributes = returnValues === "ALL_NEW" ? current : undefined;
  return { kind: "ok", value: { attributes, found: true } };
}

/** The same, with the id of the write. */
export function toMarkedResult(outcome: Outcome<WriteResult>, writeId: string): Outcome<MarkedWriteResult> {
  return outcome.kind === "ok" ? { kind: "ok", value: { ...outcome.value, writeId } } : outcome;
}
