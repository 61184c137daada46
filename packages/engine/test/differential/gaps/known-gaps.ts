import type { Gap } from "./gap.ts";
import { numberForm } from "./numbers.ts";
import { bytesAfterFilter, keyOfLastItem, startAtBound } from "./pages.ts";
import { absentItemCapacity, emptyReadCapacity, fetchedFromTable, unaskedCapacity } from "./read-capacity.ts";
import {
  brokenByKeyCondition,
  computedIndexKey,
  emptyPlaceholders,
  fullStop,
  keysAsWritten,
  longPartitionKey,
  otherWording,
  plainRejection,
  restartsAtAbsentItem,
  shortNames,
  uncheckedRequest,
} from "./rejections.ts";
import { keyAlone, pathOfAbsentItem, wholeAttributes } from "./updates.ts";
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

/** The known errors of DynamoDB Local, in the order in which its outcomes are corrected. */
export const knownGaps: readonly Gap[] = [
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
  equalCostsOnce,
  transactionSplit,
  repeatedToken,
  keyOfLastItem,
  bytesAfterFilter,
  startAtBound,
  wholeAttributes,
  keyAlone,
  pathOfAbsentItem,
  otherWording,
  fullStop,
  plainRejection,
  shortNames,
  keysAsWritten,
  longPartitionKey,
  restartsAtAbsentItem,
  brokenByKeyCondition,
  computedIndexKey,
  emptyPlaceholders,
  uncheckedRequest,
];
