import type { ExecuteStatementInput } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { ItemAnswer } from "../answer/item-answer.ts";
import { Consumption } from "../capacity/consumption.ts";
import type { Database } from "../database.ts";
import type { StoredItem } from "../item/stored-item.ts";
import { checkFilterProjected } from "../read/check-filter.ts";
import { addPage, fetcherFor } from "../read/page-answer.ts";
import { pageKey } from "../read/read-page.ts";
import { bindCondition } from "./bind-condition.ts";
import type { BoundStatement } from "./bound-statement.ts";
import { readToken, tokenOwner, writeToken } from "./next-token.ts";
import { readRanges } from "./read-ranges.ts";
import { planSelect } from "./select-plan.ts";
import { selectSource } from "./select-source.ts";
import { type Selection, select } from "./selection.ts";
import type { SelectStatement } from "./statement.ts";

/** AWS: PartiQL operators — a read of several partitions gives at most this many items at a time. */
const maxItemsOfPartitions = 10;

/** Carries out a SELECT: one page of it. */
export function runSelect(
  database: Database,
  { statement, parameters }: BoundStatement<SelectStatement>,
  input: ExecuteStatementInput,
): Answer {
  const { where, order, selection } = statement;
  // What is wrong with the statement itself is told before its table is looked up.
  const condition = where && bindCondition(where, parameters);
  const source = selectSource(database, statement, input.ConsistentRead);
  const plan = planSelect(source, condition, order);
  // A scan of an index just finds nothing by what the index does not hold.
  if (plan.keyed && plan.filter !== undefined) checkFilterProjected(source, plan.filter);
  const owner = () => tokenOwner(input.Statement ?? "", parameters);
  const start = input.NextToken === undefined ? { range: 0 } : readToken(owner(), input.NextToken);
  const asked = plan.multiple
    ? Math.min(input.Limit ?? maxItemsOfPartitions, maxItemsOfPartitions)
    : input.Limit;
  const limit = database.behaviour === undefined ? asked : database.behaviour.pageLimit(asked);
  const fetch = fetcherFor(
    database,
    source,
    undefined,
    selection?.map(({ path }) => path),
  );
  const read = readRanges(database.storage, source, plan, start, { limit, fetch });
  const consumption = new Consumption(source.table);
  for (const page of read.pages) addPage(consumption, source, page, input.ConsistentRead);
  return {
    Items: read.pages.flatMap(({ items }) => items.map((item) => selectedItem(item, selection))),
    NextToken: read.next && writeToken(owner(), read.next),
    LastEvaluatedKey: read.stoppedAt && ItemAnswer.built(pageKey(source, read.stoppedAt)),
    ConsumedCapacity: consumption.report(input.ReturnConsumedCapacity),
  };
}

/** A stored item, or what a selection takes of it. */
function selectedItem(stored: StoredItem, selection: Selection | undefined): ItemAnswer {
  return selection === undefined
    ? ItemAnswer.stored(stored)
    : ItemAnswer.built(select(selection, stored.item));
}
