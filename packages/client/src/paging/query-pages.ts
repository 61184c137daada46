import type { DynamoPort, Item, Key, QueryInput, QueryOutput } from "@tablekeep/core";
import { followPages, itemsOf } from "./follow-pages.ts";
import type { PageOptions } from "./page-options.ts";

/**
 * The pages of a query, in key order, fetched one at a time as they are asked for. `input.Limit` is the size of a page,
 * `options.limit` that of the whole; `input.ExclusiveStartKey` is where to begin.
 */
export function queryPages(
  port: DynamoPort,
  input: QueryInput,
  options: PageOptions = {},
): AsyncGenerator<QueryOutput, void, undefined> {
  const from = { start: input.ExclusiveStartKey, pageSize: input.Limit };
  const inputAt = (start: Key | undefined, limit: number | undefined) =>
    start === from.start && limit === from.pageSize
      ? input
      : { ...input, ExclusiveStartKey: start, Limit: limit };
  return followPages<QueryOutput>(
    (start, limit, call) => port.query(inputAt(start, limit), call),
    from,
    options,
  );
}

/** The items of a query, in key order; see {@link queryPages}. */
export function queryItems(
  port: DynamoPort,
  input: QueryInput,
  options: PageOptions = {},
): AsyncGenerator<Item, void, undefined> {
  return itemsOf(queryPages(port, input, options));
}
