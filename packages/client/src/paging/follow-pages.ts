import type { CallOptions, Item, Key } from "@tablekeep/core";
import { startOperation } from "../operation-options.ts";
import { checkOptions } from "../options/check-options.ts";
import { type Page, type PageOptions, pageCount, pageLimit, pageOptionChecks } from "./page-options.ts";

/** Reads one page from `start`, evaluating at most `limit` items. */
export type ReadPage<Output extends Page> = (
  start: Key | undefined,
  limit: number | undefined,
  options: CallOptions,
) => Promise<Output>;

/**
 * Page after page until there is no LastEvaluatedKey, or the limit is reached. Only the key tells the end: a page may be
 * empty and have others behind it. A page never holds more than is wanted, so that its key is always the place to go on.
 */
export async function* followPages<Output extends Page>(
  read: ReadPage<Output>,
  from: { readonly start?: Key | undefined; readonly pageSize?: number | undefined },
  options: PageOptions,
): AsyncGenerator<Output, void, undefined> {
  checkOptions(options, pageOptionChecks);
  let wanted = options.limit ?? Number.POSITIVE_INFINITY;
  let { start } = from;
  while (wanted > 0) {
    const { deadline } = startOperation(options);
    deadline.check();
    const page = await read(start, pageLimit(from.pageSize, wanted), deadline.callOptions());
    wanted -= pageCount(page);
    start = page.LastEvaluatedKey;
    yield page;
    if (start === undefined) return;
  }
}

/** The items of pages, one by one. */
export async function* itemsOf(pages: AsyncIterable<Page>): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages) yield* page.Items ?? [];
}
