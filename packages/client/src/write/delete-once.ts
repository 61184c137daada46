import {
  type DeleteItemInput,
  type DynamoPort,
  type Item,
  type OptionChecks,
  type Outcome,
  optionCheck,
} from "@tablekeep/core";
import { checkOptions } from "../options/check-options.ts";
import { type OnceOptions, onceOptionChecks, toWriteResult, type WriteResult } from "./once-options.ts";
import { readConditionFailure } from "./read-condition-failure.ts";
import { resolveWrite, type Whose } from "./resolve-write.ts";

/** A delete, with its condition if it has one. */
export type DeleteOnceInput = Omit<
  DeleteItemInput,
  "Expected" | "ConditionalOperator" | "ReturnValuesOnConditionCheckFailure"
>;

/** What {@link deleteOnce} takes. */
export interface DeleteOnceOptions extends OnceOptions {
  /** Whether an item that is gone is as good as deleted by this call, whoever deleted it. @default false */
  readonly goneIsOk?: boolean | undefined;
}

const checks: OptionChecks<DeleteOnceOptions> = { ...onceOptionChecks, goneIsOk: optionCheck.flag };

/**
 * Deletes an item and finds out whether it was this call that did. A delete leaves no write id behind: after a lost
 * answer an absent item may have been deleted by another, so that the outcome is `unknown` unless `goneIsOk`.
 */
export async function deleteOnce(
  port: DynamoPort,
  input: DeleteOnceInput,
  options: DeleteOnceOptions = {},
): Promise<Outcome<WriteResult>> {
  checkOptions(options, checks);
  const params = deleteOnceParams(input);
  const resend = options.resendInDoubt ?? params.ConditionExpression !== undefined;
  const judge = (current: Item | undefined, inDoubt = true) => whoseDelete(current, options, inDoubt);
  const outcome = await resolveWrite(
    port,
    {
      table: input.TableName ?? "",
      send: (call) => port.deleteItem(params, { ...call, idempotent: resend }),
      readRefusal: (error, inDoubt) => readConditionFailure(error, (current) => judge(current, inDoubt)),
      look: async (call) => {
        const read = { TableName: input.TableName, Key: input.Key, ConsistentRead: true };
        const { Item } = await port.getItem(read, call);
        return { whose: judge(Item), current: Item };
      },
      mayRepeat: (inDoubt) => resend || !inDoubt,
    },
    options,
  );
  return toWriteResult(outcome, input.ReturnValues);
}

/** The request of a delete. */
export function deleteOnceParams(input: DeleteOnceInput): DeleteItemInput {
  if (input.ConditionExpression === undefined) return input;
  return { ...input, ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
}

/** An item that stands there may have been written after our delete: only the caller can tell. */
function whoseDelete(current: Item | undefined, options: DeleteOnceOptions, inDoubt: boolean): Whose {
  if (current === undefined && options.goneIsOk) return "mine";
  return (inDoubt && options.whose?.(current)) || "unclear";
}
