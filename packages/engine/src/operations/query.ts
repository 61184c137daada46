import type { Operation } from "../database/database.ts";
import { requestExpressions } from "../expression/request-expressions.ts";
import { checkFilter, checkReadPaths, checkSelect } from "../read/check-read.ts";
import {
  checkConditionCount,
  type KeyCondition,
  keyConditionParts,
  resolveKeyCondition,
} from "../read/key-condition.ts";
import { checkStartKey, queryRange, rangeAfter } from "../read/key-range.ts";
import { pageAnswer } from "../read/read-page.ts";
import { type Source, sourceOf } from "../read/source.ts";
import { equalItems } from "../values/compare-values.ts";
import { inNewerWording, invalid } from "../values/dynamo-errors.ts";
import type { WireItem } from "../values/wire-value.ts";

export const query: Operation<"Query"> = (database, input) =>
  inNewerWording(() => readQuery(database, input));

const readQuery: Operation<"Query"> = (database, input) => {
  const { keyCondition, filter, projection } = requestExpressions(input, "query");
  if (keyCondition === undefined) {
    throw invalid(
      "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
    );
  }
  const parts = keyConditionParts(keyCondition);
  const source = sourceOf(database, input);
  if (input.KeyConditionExpression !== undefined) checkConditionCount(source.index ?? source.table, parts);
  const condition = resolveKeyCondition(source.table, source.index, parts);
  if (filter !== undefined)
    checkFilter(source, filter, input.QueryFilter === undefined ? "Filter Expression" : "QueryFilter");
  checkSelect(input, projection, "Querying");
  const partition = { ...queryRange(source, condition), reverse: input.ScanIndexForward === false };
  let range = partition;
  if (input.ExclusiveStartKey !== undefined) {
    const startKey = checkStartKey(source, input.ExclusiveStartKey);
    const rest = rangeAfter(source, partition, startKey);
    if (rest === undefined) throw outside(source, condition, startKey);
    if (readsOneItem(source)) throw invalid("The query can return at most one row and cannot be restarted");
    range = { ...partition, ...rest };
  }
  checkReadPaths(source, { projection });
  const parameters = readsOneItem(source) ? { ...input, Limit: "none" as const } : input;
  return pageAnswer(database, source, range, { filter, projection, isQuery: true }, parameters);
};

/** A partition of a table without a sort key has one item: there is no next page, and no key to start it with. */
function readsOneItem({ table, index }: Source): boolean {
  return index === undefined && table.range.length === 0;
}

function outside(source: Source, condition: KeyCondition, startKey: WireItem): Error {
  const samePartition = equalItems(condition.partition, partitionKeyOf(source, startKey));
  return samePartition && (condition.range !== undefined || condition.equalRange.length > 0)
    ? invalid("The provided starting key does not match the range key predicate")
    : invalid("The provided starting key is outside query boundaries based on provided conditions");
}

function partitionKeyOf({ table, index }: Source, item: WireItem): WireItem {
  const names = new Set((index ?? table).hash.map(({ name }) => name));
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}
