import { type Item, type Key, type OptionChecks, optionCheck } from "@tablekeep/core";
import { type OperationOptions, operationOptionChecks } from "../operation-options.ts";

/** What the page iterators take. `deadlineMs` is that of each page: the consumer takes its time in between. */
export interface PageOptions extends OperationOptions {
  /**
   * How many items to give at most, over all pages. No more are read than that takes: with a filter, pages are as small
   * as the number still wanted. To read whole pages under a filter, leave it out and stop iterating. @default no limit
   */
  readonly limit?: number | undefined;
}

/** One page, as Query and Scan give it. */
export interface Page {
  readonly Items?: Item[] | undefined;
  readonly Count?: number | undefined;
  readonly LastEvaluatedKey?: Key | undefined;
}

/** How many items a page holds; one that only counts has no `Items`. */
export function pageCount(page: Page): number {
  return page.Count ?? page.Items?.length ?? 0;
}

/** The smaller of the caller's page size and what is still wanted; undefined for as many as fit a page. */
export function pageLimit(pageSize: number | undefined, wanted: number): number | undefined {
  const smaller = Math.min(pageSize ?? Number.POSITIVE_INFINITY, wanted);
  return smaller === Number.POSITIVE_INFINITY ? undefined : smaller;
}

/** The checks of {@link PageOptions}. */
export const pageOptionChecks: OptionChecks<PageOptions> = {
  ...operationOptionChecks,
  limit: optionCheck.integer(0),
};
