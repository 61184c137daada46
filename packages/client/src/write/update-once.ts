import {
  type DynamoPort,
  type Item,
  type OptionChecks,
  type Outcome,
  optionCheck,
  type UpdateItemInput,
} from "@tablekeep/core";
import { checkOptions } from "../options/check-options.ts";
import {
  type MarkedWriteOptions,
  type MarkedWriteResult,
  markedWriteOptionChecks,
  toMarkedResult,
  toWriteResult,
} from "./once-options.ts";
import { readConditionFailure } from "./read-condition-failure.ts";
import { resolveWrite, type Whose } from "./resolve-write.ts";
import { carriesMark, markUpdate, newWriteId, type WriteMark } from "./write-id.ts";

/** An update by expression, with its condition if it has one. */
export type UpdateOnceInput = Omit<
  UpdateItemInput,
  "AttributeUpdates" | "Expected" | "ConditionalOperator" | "ReturnValuesOnConditionCheckFailure"
>;

/** What {@link updateOnce} takes. */
export interface UpdateOnceOptions extends MarkedWriteOptions {
  /**
   * Whether the condition can never hold again once this very update was applied, whatever others write afterwards, e.g.
   * `version = :old` while it sets a higher version. Only then is it sent again after a lost answer. @default false
   */
  readonly selfGuarding?: boolean | undefined;
}

const checks: OptionChecks<UpdateOnceOptions> = {
  ...markedWriteOptionChecks,
  selfGuarding: optionCheck.flag,
};

/**
 * Updates an item and finds out whether the update was applied, also when the answer is lost or an earlier attempt of
 * its own makes its condition fail. An update that could be applied twice is never sent again in doubt: it is looked
 * for by its write id, and is `unknown` if that is not there. A late copy may still land, or another's update may have
 * come on top.
 */
export async function updateOnce(
  port: DynamoPort,
  input: UpdateOnceInput,
  options: UpdateOnceOptions,
): Promise<Outcome<MarkedWriteResult>> {
  checkOptions(options, checks);
  const mark = { attribute: options.writeIdAttribute, id: options.writeId ?? newWriteId() };
  const params = updateOnceParams(input, mark);
  const idempotent = options.selfGuarding ?? false;
  const judge = (current: Item | undefined, inDoubt = true) => whoseUpdate(current, mark, options, inDoubt);
  const outcome = await resolveWrite(
    port,
    {
      table: input.TableName ?? "",
      send: (call) => port.updateItem(params, { ...call, idempotent }),
      readRefusal: (error, inDoubt) => readConditionFailure(error, (current) => judge(current, inDoubt)),
      look: async (call) => {
        const read = { TableName: input.TableName, Key: input.Key, ConsistentRead: true };
        const { Item } = await port.getItem(read, call);
        return { whose: judge(Item), current: Item };
      },
      mayRepeat: (inDoubt) => !inDoubt || idempotent,
    },
    options,
  );
  return toMarkedResult(toWriteResult(outcome, input.ReturnValues), mark.id);
}

/** The request of an update. */
export function updateOnceParams(input: UpdateOnceInput, mark: WriteMark): UpdateItemInput {
  const params: UpdateItemInput = markUpdate(input, mark);
  if (params.ConditionExpression !== undefined) params.ReturnValuesOnConditionCheckFailure = "ALL_OLD";
  return params;
}

/** Another's write id proves nothing: that update may have come on top of ours. */
function whoseUpdate(
  current: Item | undefined,
  mark: WriteMark,
  options: UpdateOnceOptions,
  inDoubt: boolean,
): Whose {
  if (carriesMark(current, mark)) return "mine";
  return (inDoubt && options.whose?.(current)) || "unclear";
}
