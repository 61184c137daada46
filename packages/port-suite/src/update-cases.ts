import type { Item, UpdateItemInput } from "@tablekeep/core";
import { refuses, same } from "./expectations.ts";
import type { PortCase, PortWorld } from "./port-case.ts";

/** An update of one item, by an expression. */
interface UpdateRow {
  readonly name: string;
  readonly source: string;
  /** The item before, without its key; `absent` for none. */
  readonly before: Item | "absent";
  readonly expression: string;
  readonly values?: Item;
  readonly names?: Record<string, string>;
  readonly gaps?: PortCase["gaps"];
}

export interface AcceptedUpdateRow extends UpdateRow {
  /** The item after, without its key; `absent` for none. */
  readonly after: Item | "absent";
}

export interface RefusedUpdateRow extends UpdateRow {
  /** DynamoDB's words, or a part of them; only the exception counts without it. */
  readonly text?: string | RegExp;
}

/** A case in which an update turns one item into another. */
export function updateCase(row: AcceptedUpdateRow): PortCase {
  return caseOf(row, async (world, input) => {
    await world.port.updateItem(input);
    await holdsItem(world, input, row.after);
  });
}

/** A case in which an update is rejected, and the item stays as it was. */
export function refusedUpdateCase(row: RefusedUpdateRow): PortCase {
  return caseOf(row, async (world, input) => {
    await refuses(world.port.updateItem(input), "ValidationException", row.text);
    await holdsItem(world, input, row.before);
  });
}

function caseOf(row: UpdateRow, run: (world: PortWorld, input: UpdateItemInput) => Promise<void>): PortCase {
  return {
    name: row.name,
    source: row.source,
    ...(row.gaps && { gaps: row.gaps }),
    async run(world) {
      const TableName = world.tables.simple;
      const Key = { pk: { S: world.unique() } };
      if (row.before !== "absent") await world.port.putItem({ TableName, Item: { ...row.before, ...Key } });
      await run(world, {
        TableName,
        Key,
        UpdateExpression: row.expression,
        ExpressionAttributeValues: row.values,
        ExpressionAttributeNames: row.names,
      });
    },
  };
}

async function holdsItem(world: PortWorld, input: UpdateItemInput, expected: Item | "absent"): Promise<void> {
  const { TableName, Key } = input;
  const { Item } = await world.port.getItem({ TableName, Key, ConsistentRead: true });
  same(Item, expected === "absent" ? undefined : { ...expected, ...Key });
}
