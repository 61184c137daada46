import {
  type DynamoPort,
  type Item,
  type OptionChecks,
  optionCheck,
  type ScanInput,
  type ScanOutput,
} from "@tablekeep/core";
import { checkOptions } from "../options/check-options.ts";
import { followPages, itemsOf } from "./follow-pages.ts";
import { followSegments } from "./follow-segments.ts";
import { type PageOptions, pageOptionChecks } from "./page-options.ts";

/** What the scan iterators take. */
export interface ScanOptions extends PageOptions {
  /**
   * Into how many segments to cut the table; they are read at the same time, one page of each held at most, and pages
   * come as they are ready. @default 1: one after the other
   */
  readonly segments?: number | undefined;
}

const checks: OptionChecks<ScanOptions> = { ...pageOptionChecks, segments: optionCheck.integer(1) };

/**
 * The pages of a table or index, fetched as they are asked for. `input.Limit` is the size of a page, `options.limit` the
 * number of items in all.
 */
export async function* scanPages(
  port: DynamoPort,
  input: ScanInput,
  options: ScanOptions = {},
): AsyncGenerator<ScanOutput, void, undefined> {
  checkOptions(options, checks);
  const { segments = 1, ...paging } = options;
  if (segments > 1) yield* followSegments(port, input, segments, paging);
  else
    yield* followPages<ScanOutput>(
      (start, limit, call) => port.scan({ ...input, ExclusiveStartKey: start, Limit: limit }, call),
      { start: input.ExclusiveStartKey, pageSize: input.Limit },
      paging,
    );
}

/** The items of a table or index; see {@link scanPages}. */
export function scanItems(
  port: DynamoPort,
  input: ScanInput,
  options: ScanOptions = {},
): AsyncGenerator<Item, void, undefined> {
  return itemsOf(scanPages(port, input, options));
}
