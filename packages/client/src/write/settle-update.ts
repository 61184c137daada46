import {
  type DynamoPort,
  type Item,
  type OptionChecks,
  type Outcome,
  optionCheck,
  type UpdateItemInput,
} from "@tablekeep/core";
import { checkOptions } from "../base/check-options.ts";
import {
  type MarkedWriteOptions,
  type MarkedWriteResult,
  markedWriteOptionChecks,
  toMarkedResult,
  toWriteResult,
} from "./settle-options.ts";
import { type Attribution, readConditionFailure, settleWrite } from "./settle-write.ts";
import { carriesMark, markUpdate, newWriteId, type WriteMark } from "./write-id.ts";

/** An update by expression, with its condition if it has one. */
export type SettleUpdateInput = Omit<
  UpdateItemInput,
  "AttributeUpdates" | "Expected" | "ConditionalOperator" | "ReturnValuesOnConditionCheckFailure"
>;

/** What {@link settleUpdate} takes. */
export interface SettleUpdateOptions extends MarkedWriteOptions {
  /**
   * Whether the condition can never hold again once this very update was applied, whatever others write afterwards, e.g.
   * `version = :old` while it sets a higher version. Only then is it sent again after a lost answer. @default false
   */
  readonly appliesAtMostOnce?: boolean | undefined;
}

const checks: OptionChecks<SettleUpdateOptions> = {
  ...markedWriteOptionChecks,
  appliesAtMostOnce: optionCheck.boolean,
};

/**
 * Updates an item and finds out whether the update was applied, also when the answer is lost or an earlier attempt of
 * its own makes its condition fail. An update that could be applied twice is never sent again in doubt: it is looked
 * for by its write id, and is `unknown` if that is not there. A late copy may still land, or another's update may have
 * come on top.
 */
export async function settleUpdate(
  port: DynamoPort,
  input: SettleUpdateInput,
  options: SettleUpdateOptions,
): Promise<Outcome<MarkedWriteResult>> {
  checkOptions(options, checks);
  const mark = { attribute: options.writeIdAttribute, id: options.writeId ?? newWriteId() };
  const params = settleUpdateParams(input, mark);
  const idempotent = options.appliesAtMostOnce ?? false;
  const judge = (current: Item | undefined, inDoubt = true) =>
    attributeUpdate(current, mark, options, inDoubt);
  const outcome = await settleWrite(
    port,
    {
      table: input.TableName ?? "",
      send: (call) => port.updateItem(params, { ...call, idempotent }),
      readRefusal: (error, inDoubt) => readConditionFailure(error, (current) => judge(current, inDoubt)),
      look: async (call) => {
        const read = { TableName: input.TableName, Key: input.Key, ConsistentRead: true };
        const { Item } = await port.getItem(read, call);
        return { attribution: judge(Item), current: Item };
      },
      mayRepeat: (inDoubt) => !inDoubt || idempotent,
    },
    options,
  );
  return toMarkedResult(toWriteResult(outcome, input.ReturnValues), mark.id);
}

/** The request of an update. */
export function settleUpdateParams(input: SettleUpdateInput, mark: WriteMark): UpdateItemInput {
  const params: UpdateItemInput = markUpdate(input, mark);
  if (params.ConditionExpression !== undefined) params.ReturnValuesOnConditionCheckFailure = "ALL_OLD";
  return params;
}

/** Another's write id proves nothing: that update may have come on top of ours. */
function attributeUpdate(
  current: Item | undefined,
  mark: WriteMark,
  options: SettleUpdateOptions,
  inDoubt: boolean,
): Attribution {
  if (carriesMark(current, mark)) return "ours";
  return (inDoubt && options.attribution?.(current)) || "unclear";
}
