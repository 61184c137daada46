import { type DynamoPort, type Item, isDynamoError } from "@tablekeep/core";
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
    const found = await engine.getItem({ TableName, Key: key, ConsistentRead: true }).catch(refused);
    if (found?.Item === undefined) await local.deleteItem({ TableName, Key: key }).catch(refused);
    else await local.putItem({ TableName, Item: found.Item });
  }
}

/** A broken request may name a key that is none: there is no item to be different. */
function refused(error: unknown): undefined {
  if (!isDynamoError(error)) throw error;
}

interface Touched {
  readonly table: TestTable;
  readonly key: Item;
}

/** The items that a write names. A broken request may have anything in place of them. */
function touched({ operation, input }: Step, tables: readonly TestTable[]): Touched[] {
  return namedItems(operation, input).flatMap(([name, whole]) => {
    const table = tables.find((each) => each.name === name);
    const key = table && keyIn(table, whole);
    return table !== undefined && key !== undefined ? [{ table, key }] : [];
  });
}

type Members = Readonly<Record<string, unknown>>;

function namedItems(operation: string, input: Members): (readonly [unknown, unknown])[] {
  if (operation === "BatchWriteItem") {
    return Object.entries((input["RequestItems"] ?? {}) as Members).flatMap(([name, requests]) =>
      membersOf(requests).flatMap((request) =>
        membersOf(request).map((each) => [name, itemOf(each)] as const),
      ),
    );
  }
  if (operation === "TransactWriteItems") {
    return membersOf(input["TransactItems"]).flatMap((action) =>
      membersOf(action).map((each) => [each["TableName"], itemOf(each)] as const),
    );
  }
  return [[input["TableName"], itemOf(input)]];
}

function membersOf(value: unknown): Members[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).filter((each): each is Members => typeof each === "object" && each !== null);
}

function itemOf(request: Members): unknown {
  return request["Item"] ?? request["Key"];
}

function keyIn({ hash, range }: TestTable, whole: unknown): Item | undefined {
  const item = (whole ?? {}) as Item;
  const parts = [hash, ...(range ? [range] : [])];
  const values = parts.map(({ name, type }) => [name, type, item[name]?.[type] as unknown] as const);
  if (values.some(([, , value]) => value === undefined || value === null)) return undefined;
  // Local takes a number for the text that it should be.
  const asKey = (value: unknown) => (value instanceof Uint8Array ? value : String(value));
  return Object.fromEntries(values.map(([name, type, value]) => [name, { [type]: asKey(value) }])) as Item;
}
