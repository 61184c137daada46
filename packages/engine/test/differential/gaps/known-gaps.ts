import type { Gap } from "./gap.ts";
import { numberForm } from "./numbers.ts";
import { absentItemCapacity, emptyReadCapacity, unaskedCapacity } from "./read-capacity.ts";
import { brokenByRequest, fullStop, otherOrder, otherWording } from "./refusals.ts";
import { keyAlone, pathOfAbsentItem, wholeAttributes } from "./updates.ts";
import { absentDeleteCapacity, transactionIndexCapacity, transactionSplit } from "./write-capacity.ts";

/** Where DynamoDB Local is known to be wrong, in the order in which its outcomes are mended. */
export const knownGaps: readonly Gap[] = [
  numberForm,
  emptyReadCapacity,
  absentItemCapacity,
  unaskedCapacity,
  absentDeleteCapacity,
  transactionIndexCapacity,
  transactionSplit,
  wholeAttributes,
  keyAlone,
  pathOfAbsentItem,
  otherWording,
  fullStop,
  brokenByRequest,
  otherOrder,
];
