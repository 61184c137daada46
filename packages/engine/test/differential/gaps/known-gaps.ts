import type { Gap } from "./gap.ts";
import { numberForm } from "./numbers.ts";
import { bytesAfterFilter, filterBeyondIndex, keyOfLastItem } from "./pages.ts";
import { absentItemCapacity, emptyReadCapacity, fetchedFromTable, unaskedCapacity } from "./read-capacity.ts";
import {
  brokenByRequest,
  computedIndexKey,
  emptyPlaceholders,
  keysAsWritten,
  longPartitionKey,
  otherOrder,
  otherWording,
  shortNames,
  uncheckedRequest,
} from "./refusals.ts";
import { otherOfSeveral } from "./several-faults.ts";
import {
  conditionFirst,
  fewerReasons,
  fullStop,
  plainRefusal,
  untriedIndexKeys,
  updateBeforeConditions,
} from "./transactions.ts";
import { eagerAlternative, keyAlone, missingAction, pathOfAbsentItem, wholeAttributes } from "./updates.ts";
import {
  absentDeleteInBatch,
  absentDeleteInTransaction,
  equalCostsOnce,
  indexWithoutItem,
  repeatedToken,
  transactionIndexUnits,
  transactionSplit,
} from "./write-capacity.ts";

/** Where DynamoDB Local is known to be wrong, in the order in which its outcomes are mended. */
export const knownGaps: readonly Gap[] = [
  numberForm,
  emptyReadCapacity,
  absentItemCapacity,
  unaskedCapacity,
  fetchedFromTable,
  absentDeleteInBatch,
  absentDeleteInTransaction,
  transactionIndexUnits,
  indexWithoutItem,
  transactionSplit,
  equalCostsOnce,
  repeatedToken,
  keyOfLastItem,
  bytesAfterFilter,
  filterBeyondIndex,
  wholeAttributes,
  keyAlone,
  missingAction,
  pathOfAbsentItem,
  eagerAlternative,
  otherWording,
  fullStop,
  plainRefusal,
  fewerReasons,
  updateBeforeConditions,
  conditionFirst,
  untriedIndexKeys,
  brokenByRequest,
  shortNames,
  keysAsWritten,
  longPartitionKey,
  computedIndexKey,
  emptyPlaceholders,
  uncheckedRequest,
  otherOrder,
  otherOfSeveral,
];
