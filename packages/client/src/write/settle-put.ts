import {
  type DynamoPort,
  type Item,
  isTablekeepError,
  type OptionChecks,
  type Outcome,
  optionCheck,
  type PutItemInput,
} from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../base/check-options.ts";
import { checkItemSize } from "../base/item-size.ts";
import { type KeyNames, keyNamesCheck, keyOf } from "../base/keys.ts";
import {
  type MarkedWriteOptions,
  type MarkedWriteResult,
  markedWriteOptionChecks,
  toMarkedResult,
  toWriteResult,
} from "./settle-options.ts";
import { type Attribution, readConditionFailure, settleWrite } from "./settle-write.ts";
import { carriesMark, markItem, newWriteId, type WriteMark } from "./write-id.ts";

/** A put, with its condition if it has one. */
export type SettlePutInput = Omit<
  PutItemInput,
  "Expected" | "ConditionalOperator" | "ReturnValuesOnConditionCheckFailure"
>;

/** What {@link settlePut} takes. */
export interface SettlePutOptions extends MarkedWriteOptions {
  /** The names of the table's key attributes. */
  readonly keyNames: KeyNames;
  /**
   * Whether to put only where no item stands, and whether such items are never overwritten: then another's item that
   * stands there is proof that this one was not stored. If others may update what was inserted, decide with `attribution`.
   * @default false
   */
  readonly insertOnly?: boolean | undefined;
}

const checks: OptionChecks<SettlePutOptions> = {
  ...markedWriteOptionChecks,
  keyNames: keyNamesCheck,
  insertOnly: optionCheck.boolean,
};

/**
 * Puts an item and finds out whether it is stored, also when the answer is lost or an earlier attempt of its own makes
 * its condition fail. In doubt a put with a condition is sent again (`resendInDoubt`): give it one that its own success makes
 * false.
 */
export async function settlePut(
  port: DynamoPort,
  input: SettlePutInput,
  options: SettlePutOptions,
): Promise<Outcome<MarkedWriteResult>> {
  checkOptions(options, checks);
  if (options.insertOnly && input.ConditionExpression !== undefined)
    throw optionInvalid("insertOnly", "is a condition itself: leave ConditionExpression out");
  const mark = { attribute: options.writeIdAttribute, id: options.writeId ?? newWriteId() };
  const params = settlePutParams(input, mark, options);
  try {
    checkItemSize(params.Item ?? {});
  } catch (error) {
    if (isTablekeepError(error)) return { kind: "rejected", error };
    throw error;
  }
  const resend = options.resendInDoubt ?? params.ConditionExpression !== undefined;
  const judge = (current: Item | undefined, inDoubt = true) => attributePut(current, mark, options, inDoubt);
  const outcome = await settleWrite(
    port,
    {
      table: input.TableName ?? "",
      send: (call) => port.putItem(params, { ...call, idempotent: resend }),
      readRefusal: (error, inDoubt) => readConditionFailure(error, (current) => judge(current, inDoubt)),
      look: async (call) => {
        const Key = keyOf(params.Item ?? {}, options.keyNames);
        const { Item } = await port.getItem({ TableName: input.TableName, Key, ConsistentRead: true }, call);
        return { attribution: judge(Item), current: Item };
      },
      mayRepeat: (inDoubt) => resend || !inDoubt,
    },
    options,
  );
  return toMarkedResult(toWriteResult(outcome, input.ReturnValues), mark.id);
}

/** The request of a put. */
export function settlePutParams(
  input: SettlePutInput,
  mark: WriteMark,
  options: SettlePutOptions,
): PutItemInput {
  const params: PutItemInput = { ...input, Item: markItem(input.Item ?? {}, mark) };
  if (options.insertOnly) {
    params.ConditionExpression = "attribute_not_exists(#key)";
    params.ExpressionAttributeNames = { "#key": options.keyNames[0] };
  }
  // Without a condition there is nothing to fail, and DynamoDB may refuse the parameter's combination.
  if (params.ConditionExpression !== undefined) params.ReturnValuesOnConditionCheckFailure = "ALL_OLD";
  return params;
}

/**
 * Absent: not landed yet, or deleted since. Another's: on an insert-only row nobody could have overwritten ours, and as
 * long as it stands no copy of ours can land; elsewhere it may have come on top of ours.
 */
function attributePut(
  current: Item | undefined,
  mark: WriteMark,
  options: SettlePutOptions,
  inDoubt: boolean,
): Attribution {
  if (carriesMark(current, mark)) return "ours";
  if (inDoubt && options.attribution !== undefined) return options.attribution(current);
  return options.insertOnly && current !== undefined ? "theirs" : "unclear";
}
