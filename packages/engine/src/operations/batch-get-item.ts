import { type BatchGetItemInput, type KeysAndAttributes, readUnits } from "@tablekeep/core";
import type { ItemAnswer } from "../answer/item-answer.ts";
import { checkKey } from "../catalog/check-keys.ts";
import { Consumption, finishAll } from "../catalog/consumption.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database, Operation } from "../database/database.ts";
import { PartialBatch } from "../database/partial-batch.ts";
import { requestExpressions } from "../expression/request-expressions.ts";
import type { ProjectedPaths } from "../expression/syntax-tree.ts";
import { checkReadPaths } from "../read/check-read.ts";
import { itemAnswer, readItemAt } from "../read/read-item.ts";
import { reportValuesFirst } from "../values/check-item.ts";
import { inNewerWording, invalid } from "../values/dynamo-errors.ts";
import { setOwn, type WireItem } from "../values/wire-value.ts";

/** AWS: API_BatchGetItem — over all tables. */
const maxKeys = 100;
/** AWS: API_BatchGetItem — maximum bytes of a response; keys beyond that are returned as unprocessed. */
const maxAnswerBytes = 16 * 1024 * 1024;

export const batchGetItem: Operation<"BatchGetItem"> = (database, input) => {
  checkNotEmpty(input);
  const byTable = Object.entries(input.RequestItems ?? {});
  checkOneKind(byTable.map(([, request]) => request));
  const reads = inNewerWording(() =>
    reportValuesFirst(
      () => byTable.flatMap(([, { Keys }]) => Keys ?? []),
      () => {
        // DynamoDB reports errors in expressions before it looks up any table.
        const projections = byTable.map(([, request]) => requestExpressions(request, "read").projection);
        return byTable.map((entry, at) => planTableRead(database, entry, projections[at]));
      },
    ),
  );
  const count = reads.reduce((total, { keys }) => total + keys.length, 0);
  if (count > maxKeys) throw invalid("Too many items requested for the BatchGetItem call");
  const responses: Record<string, ItemAnswer[]> = {};
  const unprocessed: NonNullable<BatchGetItemInput["RequestItems"]> = {};
  const used: Consumption[] = [];
  let bytes = 0;
  const batch = new PartialBatch(database.service.partitions, "read");
  for (const { table, keys, projection, request } of reads) {
    const found: ItemAnswer[] = [];
    const left: NonNullable<KeysAndAttributes["Keys"]> = [];
    const consumption = new Consumption(table, "read");
    for (const [at, key] of keys.entries()) {
      const place = { table, at: itemKey(table, key) };
      const isFull = bytes > maxAnswerBytes || !batch.admits(place);
      const stored = isFull ? undefined : readItemAt(database, place.at);
      bytes += stored?.size ?? 0;
      if (isFull || bytes > maxAnswerBytes) {
        left.push((request.Keys ?? [])[at] ?? {});
        continue;
      }
      const units = readUnits(stored?.size ?? 0, request.ConsistentRead ? "strong" : "eventual");
      consumption.addTable(units);
      batch.spend(place, units);
      if (stored !== undefined) found.push(itemAnswer(stored, projection));
    }
    setOwn(responses, table.name, found);
    if (left.length > 0) setOwn(unprocessed, table.name, { ...request, Keys: left });
    used.push(consumption);
  }
  batch.throwIfNoneAdmitted();
  return {
    Responses: responses,
    UnprocessedKeys: unprocessed,
    ConsumedCapacity: finishAll(used, input.ReturnConsumedCapacity),
  };
};

/** AWS: most regions report an empty request since August 2026 as a failed constraint (Parity Suite, `batchGetItem`). */
function checkNotEmpty({ RequestItems }: BatchGetItemInput): void {
  if (RequestItems === undefined) throw invalid("The requestItems parameter is required for BatchGetItem");
  if (Object.keys(RequestItems).length > 0) return;
  throw invalid(
    "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: " +
      "Member must have length greater than or equal to 1",
  );
}

/** AttributesToGet and ProjectionExpression exclude each other, in all tables together. */
function checkOneKind(requests: readonly KeysAndAttributes[]): void {
  const [older, newer] = ["AttributesToGet", "ProjectionExpression"] as const;
  const has = (name: typeof older | typeof newer) => requests.some((request) => request[name] !== undefined);
  if (!has(older) || !has(newer)) return;
  throw invalid(
    "Can not use both expression and non-expression parameters in the same request: " +
      `Non-expression parameters: {${older}} Expression parameters: {${newer}}`,
  );
}

interface TableRead {
  readonly table: TableModel;
  readonly keys: readonly WireItem[];
  readonly projection: ProjectedPaths | undefined;
  readonly request: KeysAndAttributes;
}

function planTableRead(
  database: Database,
  [name, request]: [string, KeysAndAttributes],
  projection: ProjectedPaths | undefined,
): TableRead {
  const table = database.catalog.get(name);
  const keys = (request.Keys ?? []).map((key) => checkKey(table, key));
  if (new Set(keys.map((key) => itemKey(table, key))).size < keys.length) {
    throw invalid("Provided list of item keys contains duplicates");
  }
  checkReadPaths({ table }, { projection });
  return { table, keys, projection, request };
}
