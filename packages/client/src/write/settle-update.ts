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

/** Options of {@link settleUpdate}. */
export interface SettleUpdateOptions extends MarkedWriteOptions {
  /**
   * The condition can never hold again once this update was applied, whatever others write afterwards, for example
   * `version = :old` while it sets a higher version. Only then is it sent again after a lost response. @default false
   */
  readonly appliesAtMostOnce?: boolean;
}

const checks: OptionChecks<SettleUpdateOptions> = {
  ...markedWriteOptionChecks,
  appliesAtMostOnce: optionCheck.boolean,
};

/**
 * Updates an item and finds out whether the update was applied, even when the response is lost or its own earlier attempt
 * makes its condition fail. An update that could be applied twice is never sent again after a lost response: the item is read
 * for its write id, and the outcome is `unknown` if that is not there. A late copy may still be applied, or another update may
 * have replaced the id.
 *
 * @example
 * const outcome = await settleUpdate(port, { TableName: "carts", Key, UpdateExpression: "SET n = :n", ExpressionAttributeValues }, {
 *   writeIdAttribute: "w",
 * });
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
  const attribute = (current: Item | undefined, inDoubt = true) =>
    attributeUpdate(current, mark, options, inDoubt);
  const outcome = await settleWrite(
    port,
    {
      table: input.TableName ?? "",
      send: (call) => port.updateItem(params, { ...call, idempotent }),
      readRejection: (error, inDoubt) =>
        readConditionFailure(error, (current) => attribute(current, inDoubt)),
      readBack: async (call) => {
        const read = { TableName: input.TableName, Key: input.Key, ConsistentRead: true };
        const { Item } = await port.getItem(read, call);
        return { attribution: attribute(Item), current: Item };
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

/** Another write id proves nothing: that update may have been applied after ours. */
function attributeUpdate(
  current: Item | undefined,
  mark: WriteMark,
  options: SettleUpdateOptions,
  inDoubt: boolean,
): Attribution {
  if (carriesMark(current, mark)) return "ours";
  return (inDoubt && options.attribution?.(current)) || "unclear";
}
