import { conditionComparisonCases } from "./cases/condition-comparisons.ts";
import { conditionFunctionCases } from "./cases/condition-functions.ts";
import { conditionLogicCases } from "./cases/condition-logic.ts";
import { conditionPathCases } from "./cases/condition-paths.ts";
import { conditionRefusalCases } from "./cases/condition-refusals.ts";
import { expressionLimitCases } from "./cases/expression-limits.ts";
import { expressionPlaceholderCases } from "./cases/expression-placeholders.ts";
import { putItemCases } from "./cases/put-item.ts";
import { updateAddCases } from "./cases/update-add.ts";
import { updateRefusalCases } from "./cases/update-refusals.ts";
import { updateRemoveCases } from "./cases/update-remove.ts";
import { updateSetCases } from "./cases/update-set.ts";
import type { PortCase } from "./port-case.ts";

/** Every case of the suite, operation by operation. */
export const allCases: readonly PortCase[] = [
  ...conditionComparisonCases,
  ...conditionFunctionCases,
  ...conditionLogicCases,
  ...conditionPathCases,
  ...conditionRefusalCases,
  ...expressionLimitCases,
  ...expressionPlaceholderCases,
  ...putItemCases,
  ...updateAddCases,
  ...updateRefusalCases,
  ...updateRemoveCases,
  ...updateSetCases,
];
