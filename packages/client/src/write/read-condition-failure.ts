import { type DynamoErrorDetails, type Item, isDynamoError, type TablekeepError } from "@tablekeep/core";
import type { Attribution, Refusal } from "./settle-write.ts";

/** A failed condition of a single write, judged by the item that came back with it. */
export function readConditionFailure(
  error: TablekeepError,
  judge: (current: Item | undefined) => Attribution,
): Refusal | undefined {
  if (!isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
  const current = (error.details as DynamoErrorDetails).item;
  return { meaning: "conflict", attribution: judge(current), current };
}
