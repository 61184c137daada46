import { type AttributeValue, type DynamoPort, type Item, isDynamoError, type Key } from "@tablekeep/core";
import { CliError } from "../frame/cli-error.ts";

/** An item before and after a write. */
export interface ItemChange {
  readonly table: string;
  readonly key: Key;
  /** Undefined if there was none. */
  readonly before: Item | undefined;
  /** Undefined if it was deleted. */
  readonly after: Item | undefined;
}

/** DynamoDB allows 300 operators in an expression; a change needs up to two for an attribute. */
const maxAttributes = 100;

/** Whether an undo of the change fits into one conditional request. */
export function canUndo({ before = {}, after = {} }: ItemChange): boolean {
  return new Set([...Object.keys(before), ...Object.keys(after)]).size <= maxAttributes;
}

/**
 * Returns an item to its state before a change, if it is still as the change left it. The conditions are checked by DynamoDB with the
 * write, so that a write of another process in between makes the undo fail and is never lost.
 */
export async function undoItem(port: DynamoPort, change: ItemChange, signal: AbortSignal): Promise<void> {
  try {
    if (change.after === undefined) await putBack(port, change, change.before, signal);
    else if (change.before === undefined) await removeCreated(port, change, change.after, signal);
    else await restoreAttributes(port, change, change.before, change.after, signal);
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) throw changed(change, error);
    throw error;
  }
}

function changed({ table }: ItemChange, cause?: unknown): CliError {
  return new CliError(
    "CLI_MCP_CHANGED",
    `the item in ${table} is not as this write left it, and was not changed: read it, and decide what to write`,
    cause,
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

async function putBack(
  port: DynamoPort,
  { table, key }: ItemChange,
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
async function removeCreated(
  port: DynamoPort,
  change: ItemChange,
  after: Item,
  signal: AbortSignal,
): Promise<void> {
  const { table: TableName, key: Key } = change;
  await rejectFurther(port, change, after, signal);
  const expression = new Expression();
  const ConditionExpression = unchanged(expression, after);
  const { Attributes } = await port.deleteItem(
    { TableName, Key, ConditionExpression, ...expression.parameters, ReturnValues: "ALL_OLD" },
    { signal },
  );
  if (Attributes === undefined || !hasFurther(Attributes, after)) return;
  await putBack(port, change, Attributes, signal);
  throw changed(change);
}

/** Changes only what the write changed, so that an attribute that another process adds meanwhile stays. */
async function restoreAttributes(
  port: DynamoPort,
  change: ItemChange,
  before: Item,
  after: Item,
  signal: AbortSignal,
): Promise<void> {
  const { table: TableName, key: Key } = change;
  await rejectFurther(port, change, after, signal);
  const expression = new Expression();
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const sets: string[] = [];
  const removes: string[] = [];
  const conditions: string[] = [];
  for (const attribute of names) {
    const [old, now] = [before[attribute], after[attribute]];
    const name = expression.name(attribute);
    conditions.push(
      now === undefined ? `attribute_not_exists(${name})` : `${name} = ${expression.value(now)}`,
    );
    if (Object.hasOwn(Key, attribute)) continue;
    if (old === undefined) removes.push(name);
    else sets.push(`${name} = ${expression.value(old)}`);
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
  change: ItemChange,
  after: Item,
  signal: AbortSignal,
): Promise<void> {
  const { table: TableName, key: Key } = change;
  const { Item: now } = await port.getItem({ TableName, Key, ConsistentRead: true }, { signal });
  if (now === undefined || hasFurther(now, after)) throw changed(change);
}

function hasFurther(item: Item, known: Item): boolean {
  return Object.keys(item).some((name) => !Object.hasOwn(known, name));
}
