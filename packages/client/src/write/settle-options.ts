import { type Item, type OptionChecks, type Outcome, optionCheck } from "@tablekeep/core";
import { type OperationOptions, operationOptionChecks } from "../retry/operation.ts";
import type { Applied, Attribution } from "./settle-write.ts";

/** What the writes of this folder take. */
export interface SettleOptions extends OperationOptions {
  /**
   * Tells after a lost answer whose write an item shows, where the write id does not: another's write may have come on
   * top of this one. Say `theirs` only on evidence that lasts: no late copy of this write may be able to land.
   * @default unclear
   */
  readonly attribution?: ((current: Item | undefined) => Attribution) | undefined;
  /**
   * Whether to send the write again after its response was lost. A second copy of an unconditional put or delete overwrites
   * or removes what another client wrote in between; a condition that the write's own success makes false prevents that.
   * Without resending, the write is looked for and is `unknown` if it is not found.
   * @default true with a condition, false without
   */
  readonly resendInDoubt?: boolean | undefined;
}

/** The checks of {@link SettleOptions}. */
export const settleOptionChecks: OptionChecks<SettleOptions> = {
  ...operationOptionChecks,
  attribution: optionCheck.callback,
  resendInDoubt: optionCheck.boolean,
};

/** What the writes that leave an item take. */
export interface MarkedWriteOptions extends SettleOptions {
  /** The attribute that holds the write id. */
  readonly writeIdAttribute: string;
  /** The write id. @default a fresh one */
  readonly writeId?: string | undefined;
}

/** The checks of {@link MarkedWriteOptions}. */
export const markedWriteOptionChecks: OptionChecks<MarkedWriteOptions> = {
  ...settleOptionChecks,
  writeIdAttribute: optionCheck.nonEmptyString,
  writeId: optionCheck.nonEmptyString,
};

/** A write that is stored. */
export interface WriteResult {
  /** What `ReturnValues` asked for. Undefined when the answer was lost, except for ALL_NEW. */
  readonly attributes?: Item | undefined;
  /** Whether the answer was lost and the write was found stored. */
  readonly found: boolean;
}

/** A write that is stored, and its id. */
export interface MarkedWriteResult extends WriteResult {
  readonly writeId: string;
}

/** What the caller is told of a write. */
export function toWriteResult(
  outcome: Outcome<Applied<{ Attributes?: Item | undefined }>>,
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
