import { accountCases } from "./cases/account.ts";
import { arithmeticCases } from "./cases/arithmetic.ts";
import { batchGetItemCases } from "./cases/batch-get-item.ts";
import { batchWriteItemCases } from "./cases/batch-write-item.ts";
import { conditionComparisonCases } from "./cases/condition-comparisons.ts";
import { conditionFailureCases } from "./cases/condition-failures.ts";
import { conditionFunctionCases } from "./cases/condition-functions.ts";
import { conditionLogicCases } from "./cases/condition-logic.ts";
import { conditionPathCases } from "./cases/condition-paths.ts";
import { conditionRejectionCases } from "./cases/condition-rejections.ts";
import { consumedCapacityReadCases } from "./cases/consumed-capacity-reads.ts";
import { consumedCapacityWriteCases } from "./cases/consumed-capacity-writes.ts";
import { createTableCases } from "./cases/create-table.ts";
import { createTableValidationCases } from "./cases/create-table-validation.ts";
import { deleteItemCases } from "./cases/delete-item.ts";
import { executeBatchAndTransactionCases } from "./cases/execute-batch-and-transaction.ts";
import { executeStatementCases } from "./cases/execute-statement.ts";
import { expressionLimitCases } from "./cases/expression-limits.ts";
import { expressionPlaceholderCases } from "./cases/expression-placeholders.ts";
import { getItemCases } from "./cases/get-item.ts";
import { globalIndexCases } from "./cases/global-index.ts";
import { globalIndexUpkeepCases } from "./cases/global-index-upkeep.ts";
import { indexCapacityCases } from "./cases/index-capacity.ts";
import { indexKeyCases } from "./cases/index-keys.ts";
import { itemCapacityCases } from "./cases/item-capacity.ts";
import { itemCollectionMetricCases } from "./cases/item-collection-metrics.ts";
import { itemSizeCases } from "./cases/item-size.ts";
import { keyPathCases } from "./cases/key-paths.ts";
import { keyCases } from "./cases/keys.ts";
import { legacyExpectedCases } from "./cases/legacy-expected.ts";
import { legacyParameterCases } from "./cases/legacy-parameters.ts";
import { legacyUpdateCases } from "./cases/legacy-updates.ts";
import { listTablesCases } from "./cases/list-tables.ts";
import { localIndexCases } from "./cases/local-index.ts";
import { numberCases } from "./cases/numbers.ts";
import { ownDataCases } from "./cases/own-data.ts";
import { projectionCases } from "./cases/projection-expression.ts";
import { putItemCases } from "./cases/put-item.ts";
import { queryFilterCases } from "./cases/query-filter.ts";
import { queryKeyConditionCases } from "./cases/query-key-conditions.ts";
import { queryLegacyCases } from "./cases/query-legacy.ts";
import { queryOrderCases } from "./cases/query-order.ts";
import { queryPagingCases } from "./cases/query-paging.ts";
import { queryStartKeyCases } from "./cases/query-start-keys.ts";
import { rejectionTextCases } from "./cases/rejection-texts.ts";
import { returnValueCases } from "./cases/return-values.ts";
import { scanCases } from "./cases/scan.ts";
import { scanRejectionCases } from "./cases/scan-rejections.ts";
import { setCases } from "./cases/sets.ts";
import { streamCases } from "./cases/streams.ts";
import { tagCases } from "./cases/tags.ts";
import { timeToLiveCases } from "./cases/time-to-live.ts";
import { transactGetItemsCases } from "./cases/transact-get-items.ts";
import { transactWriteCancellationCases } from "./cases/transact-write-cancellation.ts";
import { transactWriteItemsCases } from "./cases/transact-write-items.ts";
import { transactWriteRejectionCases } from "./cases/transact-write-rejections.ts";
import { unknownTableCases } from "./cases/unknown-table.ts";
import { updateAddCases } from "./cases/update-add.ts";
import { updateItemCases } from "./cases/update-item.ts";
import { updateRejectionCases } from "./cases/update-rejections.ts";
import { updateRemoveCases } from "./cases/update-remove.ts";
import { updateSetCases } from "./cases/update-set.ts";
import { updateTableCases } from "./cases/update-table.ts";
import { validationCases } from "./cases/validation.ts";
import { validationPrefixCases } from "./cases/validation-prefix.ts";
import { valueCases } from "./cases/values.ts";
import type { PortCase } from "./port-case.ts";

/** Every case of the suite, operation by operation. */
export const allCases: readonly PortCase[] = [
  ...accountCases,
  ...arithmeticCases,
  ...batchGetItemCases,
  ...batchWriteItemCases,
  ...conditionComparisonCases,
  ...conditionFailureCases,
  ...conditionFunctionCases,
  ...conditionLogicCases,
  ...conditionPathCases,
  ...conditionRejectionCases,
  ...consumedCapacityReadCases,
  ...consumedCapacityWriteCases,
  ...createTableValidationCases,
  ...createTableCases,
  ...deleteItemCases,
  ...executeBatchAndTransactionCases,
  ...executeStatementCases,
  ...expressionLimitCases,
  ...expressionPlaceholderCases,
  ...getItemCases,
  ...globalIndexUpkeepCases,
  ...globalIndexCases,
  ...indexCapacityCases,
  ...indexKeyCases,
  ...keyPathCases,
  ...itemCapacityCases,
  ...itemCollectionMetricCases,
  ...itemSizeCases,
  ...keyCases,
  ...legacyExpectedCases,
  ...legacyParameterCases,
  ...legacyUpdateCases,
  ...listTablesCases,
  ...localIndexCases,
  ...numberCases,
  ...ownDataCases,
  ...projectionCases,
  ...putItemCases,
  ...queryFilterCases,
  ...queryKeyConditionCases,
  ...queryLegacyCases,
  ...queryOrderCases,
  ...queryPagingCases,
  ...queryStartKeyCases,
  ...rejectionTextCases,
  ...returnValueCases,
  ...scanRejectionCases,
  ...scanCases,
  ...setCases,
  ...streamCases,
  ...tagCases,
  ...timeToLiveCases,
  ...transactGetItemsCases,
  ...transactWriteCancellationCases,
  ...transactWriteItemsCases,
  ...transactWriteRejectionCases,
  ...unknownTableCases,
  ...updateAddCases,
  ...updateItemCases,
  ...updateRejectionCases,
  ...updateRemoveCases,
  ...updateSetCases,
  ...updateTableCases,
  ...validationCases,
  ...validationPrefixCases,
  ...valueCases,
];
