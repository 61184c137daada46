import { requestExpressions } from "../../expression/request-expressions.ts";
import { invalid } from "../../item/refuse.ts";
import { checkFilter } from "../../read/check-filter.ts";
import { keyConditionFor } from "../../read/key-condition.ts";
import { queryRange } from "../../read/key-range.ts";
import { pageAnswer } from "../../read/page-answer.ts";
import { readPage } from "../../read/read-page.ts";
import { sourceOf } from "../../read/source.ts";
import { checkStartKey, rangeAfter } from "../../read/start-after.ts";
import type { Operation } from "../operation.ts";

export const query: Operation<"Query"> = (database, input) => {
  const { keyCondition, filter, projection } = requestExpressions(input);
  if (keyCondition === undefined) {
    throw invalid(
      "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
    );
  }
  const source = sourceOf(database, input);
  const condition = keyConditionFor(source.index ?? source.table, keyCondition);
  if (filter !== undefined) checkFilter(source, filter);
  const partition = { ...queryRange(source, condition), reverse: input.ScanIndexForward === false };
  let range = partition;
  if (input.ExclusiveStartKey !== undefined) {
    const rest = rangeAfter(source, partition, checkStartKey(source, input.ExclusiveStartKey));
    if (rest === undefined) {
      throw invalid("The provided starting key is outside query boundaries based on provided conditions");
    }
    range = { ...partition, ...rest };
  }
  const page = readPage(database.storage, range, filter, input.Limit);
  return pageAnswer(database, source, page, input, projection);
};
