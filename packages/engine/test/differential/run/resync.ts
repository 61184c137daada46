import type { DynamoPort, Item } from "@tablekeep/core";
import type { Step } from "../step.ts";
import type { TestTable } from "../tables.ts";

/** Makes Local's items equal to the engine's where a step may have left them different. */
export async function resync(
  step: Step,
  tables: readonly TestTable[],
  engine: DynamoPort,
  local: DynamoPort,
): Promise<void> {
  for (const { table, key } of touched(step, tables)) {
    const TableName = table.name;
    const { Item } = await engine.getItem({ TableName, Key: key, ConsistentRead: true });
    if (Item === undefined) await local.deleteItem({ TableName, Key: key });
    else await local.putItem({ TableName, Item });
  }
}

interface Touched {
  readonly table: TestTable;
  readonly key: Item;
}

/** The items that a write names. */
function touched({ operation, input }: Step, tables: readonly TestTable[]): Touched[] {
  const found: Touched[] = [];
  const add = (name: unknown, whole: unknown) => {
    const table = tables.find((each) => each.name === name);
    const key = table && keyIn(table, whole);
    if (table !== undefined && key !== undefined) found.push({ table, key });
  };
  if (operation === "BatchWriteItem") {
    for (const [name, requests] of Object.entries(input["RequestItems"] as object)) {
      for (const { PutRequest, DeleteRequest } of requests as Record<string, Record<string, unknown>>[]) {
        add(name, PutRequest?.["Item"] ?? DeleteRequest?.["Key"]);
      }
    }
  } else if (operation === "TransactWriteItems") {
    for (const action of input["TransactItems"] as Record<string, Record<string, unknown>>[]) {
      for (const parameters of Object.values(action))
        add(parameters["TableName"], parameters["Item"] ?? parameters["Key"]);
    }
  } else add(input["TableName"], input["Item"] ?? input["Key"]);
  return found;
}

function keyIn({ hash, range }: TestTable, whole: unknown): Item | undefined {
  const item = (whole ?? {}) as Item;
  const parts = [hash, ...(range ? [range] : [])];
  if (parts.some(({ name, type }) => item[name]?.[type] === undefined)) return undefined;
  return Object.fromEntries(parts.map(({ name }) => [name, item[name]])) as Item;
}
