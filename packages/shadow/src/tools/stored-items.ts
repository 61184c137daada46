import type { Item, Key } from "@tablekeep/core";
import { partitionOf } from "../rows/row-keys.ts";
import type { StoreCall } from "../store/store-options.ts";

/** All items of a table, or of one thing, strongly consistent, page by page. */
export async function* storedItems(
  calls: () => StoreCall,
  { thing, after, table }: { readonly thing?: string; readonly after?: Key; readonly table?: string } = {},
): AsyncGenerator<readonly Item[], void, undefined> {
  let start = after;
  do {
    const call = calls();
    const { clock: _clock, random: _random, ...request } = call.request();
    const input = {
      TableName: table ?? call.options.table,
      ConsistentRead: true,
      ...(start && { ExclusiveStartKey: start }),
    };
    const page =
      thing === undefined
        ? await call.port.scan(input, request)
        : await call.port.query(
            {
              ...input,
              KeyConditionExpression: "PK = :id",
              ExpressionAttributeValues: { ":id": { S: partitionOf(thing) } },
            },
            request,
          );
    yield page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}
