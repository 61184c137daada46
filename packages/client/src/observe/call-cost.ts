import {
  type BatchWriteItemInput,
  type ConsumedCapacity,
  type InputOf,
  type Item,
  isSelect,
  isTablekeepError,
  itemSize,
  mayWrite,
  type OperationName,
  type OutputOf,
  statementsOf,
  type TransactWriteItemsInput,
  tablesOf,
} from "@tablekeep/core";
import { addCounts, type CallCost, type MeterCounts, noCounts } from "./meter.ts";

/** The cost of a successful call. */
export function successCost<Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  output: OutputOf<Name>,
  retries: number,
): CallCost {
  const tally = new CostTally(tablesOf(operation, input));
  const answer = output as AnyOutput;
  countRead(tally, input as AnyInput, answer);
  countWritten(tally, operation, input as AnyInput, answer);
  countCapacity(tally, !mayWrite(operation, input), answer.ConsumedCapacity);
  return tally.cost(operation, { requests: 1, retries });
}

/** The cost of a failed call. DynamoDB charges for some of them, but reports no capacity. */
export function failureCost<Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  error: unknown,
  retries: number,
): CallCost {
  const errorCode = isTablekeepError(error) ? error.code : "UNKNOWN";
  const base = { requests: 1, retries, failures: 1 };
  return { ...new CostTally(tablesOf(operation, input)).cost(operation, base), errorCode };
}

/** The inputs and outputs as far as they are counted: each field has one meaning in all operations that have it. */
interface AnyInput {
  readonly TableName?: string;
  readonly Item?: Item;
  readonly RequestItems?: BatchWriteItemInput["RequestItems"];
  readonly TransactItems?: TransactWriteItemsInput["TransactItems"];
}

interface AnyOutput {
  readonly Item?: Item;
  readonly Items?: readonly Item[];
  readonly Count?: number;
  readonly Records?: readonly unknown[];
  readonly Responses?: Readonly<Record<string, readonly Item[]>> | readonly ItemAnswer[];
  readonly UnprocessedItems?: BatchWriteItemInput["RequestItems"];
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
}

interface ItemAnswer {
  readonly Item?: Item;
  readonly TableName?: string;
  readonly Error?: unknown;
}

function countRead(tally: CostTally, input: AnyInput, output: AnyOutput): void {
  const read = (table: string | undefined, items: readonly Item[], count = items.length) => {
    tally.add(table, { itemsRead: count, bytesRead: totalSize(items) });
  };
  if (output.Item !== undefined) read(input.TableName, [output.Item]);
  if (output.Items !== undefined || output.Count !== undefined) {
    read(input.TableName, output.Items ?? [], output.Count);
  }
  if (output.Records !== undefined) tally.add(undefined, { itemsRead: output.Records.length });
  if (Array.isArray(output.Responses)) {
    output.Responses.forEach((answer: ItemAnswer, index) => {
      const action = input.TransactItems?.[index] as { Get?: { TableName?: string } } | undefined;
      if (answer.Item !== undefined) read(answer.TableName ?? action?.Get?.TableName, [answer.Item]);
    });
  } else {
    for (const [table, items] of Object.entries(output.Responses ?? {})) read(table, items);
  }
}

function countWritten(tally: CostTally, operation: OperationName, input: AnyInput, output: AnyOutput): void {
  if (operation === "PutItem") {
    tally.add(input.TableName, { itemsWritten: 1, bytesWritten: itemSize(input.Item ?? {}) });
  } else if (operation === "UpdateItem" || operation === "DeleteItem") {
    tally.add(input.TableName, { itemsWritten: 1 });
  } else if (operation === "BatchWriteItem") {
    countRequests(tally, input.RequestItems, 1);
    countRequests(tally, output.UnprocessedItems, -1);
  } else if (operation === "TransactWriteItems") {
    for (const { Put, Update, Delete } of input.TransactItems ?? []) {
      const written = Put ?? Update ?? Delete;
      if (written === undefined) continue;
      tally.add(written.TableName, { itemsWritten: 1, bytesWritten: itemSize(Put?.Item ?? {}) });
    }
  } else {
    countStatements(tally, operation, input, output);
  }
}

function countRequests(tally: CostTally, requests: BatchWriteItemInput["RequestItems"], sign: 1 | -1): void {
  for (const [table, writes] of Object.entries(requests ?? {})) {
    const items = writes.flatMap(({ PutRequest }) => (PutRequest?.Item ? [PutRequest.Item] : []));
    tally.add(table, { itemsWritten: sign * writes.length, bytesWritten: sign * totalSize(items) });
  }
}

/** A PartiQL statement that writes, writes exactly one item. */
function countStatements(
  tally: CostTally,
  operation: OperationName,
  input: AnyInput,
  output: AnyOutput,
): void {
  const answers = Array.isArray(output.Responses) ? (output.Responses as readonly ItemAnswer[]) : [];
  statementsOf(operation, input).forEach((statement, index) => {
    const answer = answers[index];
    if (!isSelect(statement) && answer?.Error === undefined)
      tally.add(answer?.TableName, { itemsWritten: 1 });
  });
}

function countCapacity(tally: CostTally, reads: boolean, consumed: AnyOutput["ConsumedCapacity"]): void {
  const all: readonly ConsumedCapacity[] = consumed === undefined ? [] : [consumed].flat();
  for (const { TableName, CapacityUnits = 0 } of all) {
    tally.add(TableName, reads ? { readUnits: CapacityUnits } : { writeUnits: CapacityUnits });
  }
}

function totalSize(items: readonly Item[]): number {
  let bytes = 0;
  for (const item of items) bytes += itemSize(item);
  return bytes;
}

/** Adds up what one call has cost, in all and by table. */
class CostTally {
  #total: MeterCounts = noCounts;
  readonly #byTable: Map<string, MeterCounts>;

  constructor(tables: readonly string[]) {
    this.#byTable = new Map(tables.map((table) => [table, noCounts]));
  }

  add(table: string | undefined, counts: Partial<MeterCounts>): void {
    this.#total = addCounts(this.#total, counts);
    if (table !== undefined)
      this.#byTable.set(table, addCounts(this.#byTable.get(table) ?? noCounts, counts));
  }

  cost(operation: OperationName, base: Partial<MeterCounts>): CallCost {
    const byTable = new Map([...this.#byTable].map(([table, counts]) => [table, addCounts(counts, base)]));
    return { operation, total: addCounts(this.#total, base), byTable };
  }
}
