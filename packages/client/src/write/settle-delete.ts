import {
  type DeleteItemInput,
  type DynamoPort,
  type Item,
  type OptionChecks,
  type Outcome,
  optionCheck,
} from "@tablekeep/core";
import { checkOptions } from "../base/check-options.ts";
import { type SettleOptions, settleOptionChecks, toWriteResult, type WriteResult } from "./settle-options.ts";
import { type Attribution, readConditionFailure, settleWrite } from "./settle-write.ts";

/** A delete, with its condition if it has one. */
export type SettleDeleteInput = Omit<
  DeleteItemInput,
  "Expected" | "ConditionalOperator" | "ReturnValuesOnConditionCheckFailure"
>;

/** Options of {@link settleDelete}. */
export interface SettleDeleteOptions extends SettleOptions {
  /** Report `ok` if the item does not exist, no matter who deleted it. @default false */
  readonly treatMissingAsDeleted?: boolean;
}

const checks: OptionChecks<SettleDeleteOptions> = {
  ...settleOptionChecks,
  treatMissingAsDeleted: optionCheck.boolean,
};

/**
 * Deletes an item and finds out whether this call deleted it. A delete leaves no write id: after a lost response a missing
 * item may have been deleted by another client, so the outcome is `unknown` unless `treatMissingAsDeleted`.
 *
 * @example
 * const outcome = await settleDelete(port, { TableName: "carts", Key }, { treatMissingAsDeleted: true });
 */
export async function settleDelete(
  port: DynamoPort,
  input: SettleDeleteInput,
  options: SettleDeleteOptions = {},
): Promise<Outcome<WriteResult>> {
  checkOptions(options, checks);
  const params = settleDeleteParams(input);
  const resend = options.resendInDoubt ?? params.ConditionExpression !== undefined;
  const attribute = (current: Item | undefined, inDoubt = true) => attributeDelete(current, options, inDoubt);
  const outcome = await settleWrite(
    port,
    {
      table: input.TableName ?? "",
      send: (call) => port.deleteItem(params, { ...call, idempotent: resend }),
      readRejection: (error, inDoubt) =>
        readConditionFailure(error, (current) => attribute(current, inDoubt)),
      readBack: async (call) => {
        const read = { TableName: input.TableName, Key: input.Key, ConsistentRead: true };
        const { Item } = await port.getItem(read, call);
        return { attribution: attribute(Item), current: Item };
      },
      mayRepeat: (inDoubt) => resend || !inDoubt,
    },
    options,
  );
  return toWriteResult(outcome, input.ReturnValues);
}

/** The request of a delete. */
export function settleDeleteParams(input: SettleDeleteInput): DeleteItemInput {
  if (input.ConditionExpression === undefined) return input;
  return { ...input, ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
}

/** An existing item may have been written after our delete: only the caller can decide. */
function attributeDelete(
  current: Item | undefined,
  options: SettleDeleteOptions,
  inDoubt: boolean,
): Attribution {
  if (current === undefined && options.treatMissingAsDeleted) return "ours";
  return (inDoubt && options.attribution?.(current)) || "unclear";
}
