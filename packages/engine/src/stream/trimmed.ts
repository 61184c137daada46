import type { DynamoError } from "@tablekeep/core";
import { refusal } from "../item/refuse.ts";

/** The refusal of a place in a stream whose records are older than a day and gone. */
export function trimmed(): DynamoError<"TrimmedDataAccessException"> {
  return refusal(
    "TrimmedDataAccessException",
    "The operation attempted to read past the oldest stream record in a shard",
  );
}
