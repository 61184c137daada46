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

/** What {@link settleDelete} takes. */
export interface SettleDeleteOptions extends SettleOptions {
  /** Whether an item that is gone is as good as deleted by this call, whoever deleted it. @default false */
  readonly treatMissingAsDeleted?: boolean | undefined;
}

const checks: OptionChecks<SettleDeleteOptions> = {
  ...settleOptionChecks,
  treatMissingAsDeleted: optionCheck.boolean,
};

/**
 * Deletes an item and finds out whether it was this call that did. A delete leaves no write id behind: after a lost
 * answer an absent item may have been deleted by another, so that the outcome is `unknown` unless `treatMissingAsDeleted`.
 */
export async function settleDelete(
  port: DynamoPort,
  input: SettleDeleteInput,
  options: SettleDeleteOptions = {},
): Promise<Outcome<WriteResult>> {
  checkOptions(options, checks);
  const params = settleDeleteParams(input);
  const resend = options.resendInDoubt ?? params.ConditionExpression !== undefined;
  const judge = (current: Item | undefined, inDoubt = true) => attributeDelete(current, options, inDoubt);
  const outcome = await settleWrite(
    port,
    {
      table: input.TableName ?? "",
      send: (call) => port.deleteItem(params, { ...call, idempotent: resend }),
      readRefusal: (error, inDoubt) => readConditionFailure(error, (current) => judge(current, inDoubt)),
      look: async (call) => {
        const read = { TableName: input.TableName, Key: input.Key, ConsistentRead: true };
        const { Item } = await port.getItem(read, call);
        return { attribution: judge(Item), current: Item };
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

/** An item that stands there may have been written after our delete: only the caller can tell. */
function attributeDelete(
  current: Item | undefined,
  options: SettleDeleteOptions,
  inDoubt: boolean,
): Attribution {
  if (current === undefined && options.treatMissingAsDeleted) return "ours";
  return (inDoubt && options.attribution?.(current)) || "unclear";
}
