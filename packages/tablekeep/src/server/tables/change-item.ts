import { type AttributeValue, type DynamoPort, type Item, isDynamoError, type Key } from "@tablekeep/core";

/** A change to one item: its state before and after. */
export interface ItemEdit {
  readonly table: string;
  readonly key: Key;
  /** Undefined if there is none. */
  readonly from: Item | undefined;
  /** Undefined deletes it. */
  readonly to: Item | undefined;
}

/** The item differs from what the change expects, and was not changed. */
export class ItemChangedError extends Error {}

/** DynamoDB allows 300 operators in an expression; a change needs up to two for an attribute. */
const maxAttributes = 100;

/** Whether a change fits into one conditional request. */
export function fitsOneRequest({ from = {}, to = {} }: Pick<ItemEdit, "from" | "to">): boolean {
  return new Set([...Object.keys(from), ...Object.keys(to)]).size <= maxAttributes;
}

/**
 * Changes an item if it is still in the expected state; an undo is the change in the other direction. The conditions are checked by
 * DynamoDB with the write, so a write of another process in between makes the change fail and is never lost.
 */
export async function changeItem(port: DynamoPort, change: ItemEdit, signal: AbortSignal): Promise<void> {
  try {
    if (change.from === undefined) await create(port, change, change.to, signal);
    else if (change.to === undefined) await remove(port, change, change.from, signal);
    else await changeAttributes(port, { ...change, to: change.to, from: change.from }, signal);
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) throw changed(change, error);
    throw error;
  }
}

function changed({ table }: ItemEdit, cause?: unknown): ItemChangedError {
  return new ItemChangedError(
    `the item in ${table} was changed meanwhile, and is left as it is: read it, and decide what to write`,
    { cause },
  );
}

/** Names and values of an expression, each behind a placeholder. */
class Expression {
  readonly #names: Record<string, string> = {};
  readonly #values: Record<string, AttributeValue> = {};

  name(attribute: string): string {
    const placeholder = `#n${Object.keys(this.#names).length}`;
    this.#names[placeholder] = attribute;
    return placeholder;
  }

  value(value: AttributeValue): string {
    const placeholder = `:v${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  get parameters() {
    const hasValues = Object.keys(this.#values).length > 0;
    return {
      ExpressionAttributeNames: this.#names,
      ...(hasValues && { ExpressionAttributeValues: this.#values }),
    };
  }
}

/** A condition for every attribute: DynamoDB compares numbers and sets by value. */
function unchanged(expression: Expression, item: Item): string {
  return Object.entries(item)
    .map(([name, value]) => `${expression.name(name)} = ${expression.value(value)}`)
    .join(" AND ");
}

async function create(
  port: DynamoPort,
  { table, key }: ItemEdit,
  item: Item | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (item === undefined) return;
  const expression = new Expression();
  const [partition = ""] = Object.keys(key);
  const ConditionExpression = `attribute_not_exists(${expression.name(partition)})`;
  await port.putItem(
    { TableName: table, Item: item, ConditionExpression, ...expression.parameters },
    { signal },
  );
}

/**
 * No condition can say that an item has no further attributes. If another process added one meanwhile, the delete returns it, and
 * the item is put back.
 */
async function remove(port: DynamoPort, change: ItemEdit, from: Item, signal: AbortSignal): Promise<void> {
  const { table: TableName, key: Key } = change;
  await rejectFurther(port, change, from, signal);
  const expression = new Expression();
  const ConditionExpression = unchanged(expression, from);
  const { Attributes } = await port.deleteItem(
    { TableName, Key, ConditionExpression, ...expression.parameters, ReturnValues: "ALL_OLD" },
    { signal },
  );
  if (Attributes === undefined || !hasFurther(Attributes, from)) return;
  await create(port, change, Attributes, signal);
  throw changed(change);
}

/** Changes only these attributes, so that an attribute that another process adds meanwhile stays. */
async function changeAttributes(
  port: DynamoPort,
  change: ItemEdit & { readonly from: Item; readonly to: Item },
  signal: AbortSignal,
): Promise<void> {
  const { table: TableName, key: Key, from, to } = change;
  await rejectFurther(port, change, from, signal);
  const expression = new Expression();
  const names = new Set([...Object.keys(to), ...Object.keys(from)]);
  const sets: string[] = [];
  const removes: string[] = [];
  const conditions: string[] = [];
  for (const attribute of names) {
    const [next, now] = [to[attribute], from[attribute]];
    const name = expression.name(attribute);
    conditions.push(
      now === undefined ? `attribute_not_exists(${name})` : `${name} = ${expression.value(now)}`,
    );
    if (Object.hasOwn(Key, attribute)) continue;
    if (next === undefined) removes.push(name);
    else sets.push(`${name} = ${expression.value(next)}`);
  }
  const update = [
    ...(sets.length > 0 ? [`SET ${sets.join(", ")}`] : []),
    ...(removes.length > 0 ? [`REMOVE ${removes.join(", ")}`] : []),
  ].join(" ");
  await port.updateItem(
    {
      TableName,
      Key,
      ...(update !== "" && { UpdateExpression: update }),
      ConditionExpression: conditions.join(" AND "),
      ...expression.parameters,
    },
    { signal },
  );
}

/** Throws if another process has added an attribute since. */
async function rejectFurther(
  port: DynamoPort,
  change: ItemEdit,
  from: Item,
  signal: AbortSignal,
): Promise<void> {
  const { table: TableName, key: Key } = change;
  const { Item: now } = await port.getItem({ TableName, Key, ConsistentRead: true }, { signal });
  if (now === undefined || hasFurther(now, from)) throw changed(change);
}

function hasFurther(item: Item, known: Item): boolean {
  return Object.keys(item).some((name) => !Object.hasOwn(known, name));
}
