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
  checkCostsARead,
  equalCostsOnce,
  indexWithoutItem,
  repeatedToken,
  transactionIndexUnits,
  transactionSplit,
} from "./write-capacity.ts";

/** Where DynamoDB Local is known to be wrong about a request with one fault at most. */
export const gapsOfOneFault: readonly Gap[] = [
  numberForm,
  emptyReadCapacity,
  absentItemCapacity,
  unaskedCapacity,
  fetchedFromTable,
  absentDeleteInBatch,
  absentDeleteInTransaction,
  checkCostsARead,
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
  conditionFirst,
  untriedIndexKeys,
  brokenByRequest,
  shortNames,
  keysAsWritten,
  longPartitionKey,
  computedIndexKey,
  emptyPlaceholders,
];

/** Where DynamoDB Local is known to be wrong, in the order in which its outcomes are mended. */
export const knownGaps: readonly Gap[] = [
  ...gapsOfOneFault,
  updateBeforeConditions,
  uncheckedRequest,
  otherOrder,
];
