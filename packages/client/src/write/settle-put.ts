import {
  type DynamoPort,
  type Item,
  isTablekeepError,
  type OptionChecks,
  type Outcome,
  optionCheck,
  type PutItemInput,
} from "@tablekeep/core";
import { checkItemSize } from "../base/check-item-size.ts";
import { checkOptions, optionInvalid } from "../base/check-options.ts";
import { type KeyNames, keyNamesCheck, keyOf } from "../base/key-names.ts";
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

/** Options of {@link settlePut}. */
export interface SettlePutOptions extends MarkedWriteOptions {
  /** The names of the table's key attributes. */
  readonly keyNames: KeyNames;
  /**
   * Put only if the key is free, in a table whose items are never overwritten: then another item with this key proves that
   * this one was not stored. If others may update inserted items, decide with `attribution`. @default false
   */
  readonly insertOnly?: boolean;
}

const checks: OptionChecks<SettlePutOptions> = {
  ...markedWriteOptionChecks,
  keyNames: keyNamesCheck,
  insertOnly: optionCheck.boolean,
};

/**
 * Puts an item and finds out whether it is stored, even when the response is lost or its own earlier attempt makes its
 * condition fail. After a lost response, a put with a condition is sent again (`resendInDoubt`): use a condition that its own
 * success makes false.
 *
 * @example
 * const outcome = await settlePut(port, { TableName: "carts", Item }, { keyNames: ["id"], writeIdAttribute: "w", insertOnly: true });
 * if (outcome.kind === "conflict") console.log("taken", outcome.current);
 */
export async function settlePut(
  port: DynamoPort,
  input: SettlePutInput,
  options: SettlePutOptions,
): Promise<Outcome<MarkedWriteResult>> {
  checkOptions(options, checks);
  if (options.insertOnly && input.ConditionExpression !== undefined)
    throw optionInvalid("insertOnly", "already sets the condition: remove ConditionExpression");
  const mark = { attribute: options.writeIdAttribute, id: options.writeId ?? newWriteId() };
  const params = settlePutParams(input, mark, options);
  try {
    checkItemSize(params.Item ?? {});
  } catch (error) {
    if (isTablekeepError(error)) return { kind: "rejected", error };
    throw error;
  }
  const resend = options.resendInDoubt ?? params.ConditionExpression !== undefined;
  const attribute = (current: Item | undefined, inDoubt = true) =>
    attributePut(current, mark, options, inDoubt);
  const outcome = await settleWrite(
    port,
    {
      table: input.TableName ?? "",
      send: (call) => port.putItem(params, { ...call, idempotent: resend }),
      readRejection: (error, inDoubt) =>
        readConditionFailure(error, (current) => attribute(current, inDoubt)),
      readBack: async (call) => {
        const Key = keyOf(params.Item ?? {}, options.keyNames);
        const { Item } = await port.getItem({ TableName: input.TableName, Key, ConsistentRead: true }, call);
        return { attribution: attribute(Item), current: Item };
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
  // Without a condition nothing can fail, and DynamoDB may reject the combination.
  if (params.ConditionExpression !== undefined) params.ReturnValuesOnConditionCheckFailure = "ALL_OLD";
  return params;
}

/**
 * No item: not applied yet, or deleted since. Another write's item: with `insertOnly` no write could have overwritten ours, and
 * no copy of ours can succeed while it exists; otherwise it may have replaced ours.
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
