import { batchGetItemCases } from "./cases/batch-get-item.ts";
import { batchWriteItemCases } from "./cases/batch-write-item.ts";
import { conditionComparisonCases } from "./cases/condition-comparisons.ts";
import { conditionFunctionCases } from "./cases/condition-functions.ts";
import { conditionLogicCases } from "./cases/condition-logic.ts";
import { conditionPathCases } from "./cases/condition-paths.ts";
import { conditionRefusalCases } from "./cases/condition-refusals.ts";
import { expressionLimitCases } from "./cases/expression-limits.ts";
import { expressionPlaceholderCases } from "./cases/expression-placeholders.ts";
import { globalIndexCases } from "./cases/global-index.ts";
import { localIndexCases } from "./cases/local-index.ts";
import { putItemCases } from "./cases/put-item.ts";
import { queryFilterCases } from "./cases/query-filter.ts";
import { queryKeyConditionCases } from "./cases/query-key-conditions.ts";
import { queryLegacyCases } from "./cases/query-legacy.ts";
import { queryOrderCases } from "./cases/query-order.ts";
import { queryPagingCases } from "./cases/query-paging.ts";
import { scanCases } from "./cases/scan.ts";
import { transactWriteCancellationCases } from "./cases/transact-write-cancellation.ts";
import { transactWriteItemsCases } from "./cases/transact-write-items.ts";
import { updateAddCases } from "./cases/update-add.ts";
import { updateRefusalCases } from "./cases/update-refusals.ts";
import { updateRemoveCases } from "./cases/update-remove.ts";
import { updateSetCases } from "./cases/update-set.ts";
import type { PortCase } from "./port-case.ts";

/** Every case of the suite, operation by operation. */
export const allCases: readonly PortCase[] = [
  ...batchGetItemCases,
  ...batchWriteItemCases,
  ...conditionComparisonCases,
  ...conditionFunctionCases,
  ...conditionLogicCases,
  ...conditionPathCases,
  ...conditionRefusalCases,
  ...expressionLimitCases,
  ...expressionPlaceholderCases,
  ...globalIndexCases,
  ...localIndexCases,
  ...putItemCases,
  ...queryFilterCases,
  ...queryKeyConditionCases,
  ...queryLegacyCases,
  ...queryOrderCases,
  ...queryPagingCases,
  ...scanCases,
  ...transactWriteCancellationCases,
  ...transactWriteItemsCases,
  ...updateAddCases,
  ...updateRefusalCases,
  ...updateRemoveCases,
  ...updateSetCases,
];
