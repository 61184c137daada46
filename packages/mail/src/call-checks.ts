import type { CallOptions } from "@tablekeep/core";
import type { MailSearch, PageRequest, SearchRequest, WaitOptions, WatchOptions } from "./mail.ts";
import { checkOptions, type OptionChecks, optionInvalid } from "./options/check-options.ts";
import {
  callable,
  choiceOf,
  flag,
  milliseconds,
  signal,
  text,
  wholeNumber,
} from "./options/option-checks.ts";

/** The checks of what each call takes. */
const callChecks: OptionChecks<CallOptions> = {
  signal,
  deadlineMs: milliseconds,
  idempotent: flag,
  onRetry: callable,
};
const pageChecks: OptionChecks<PageRequest> = {
  ...callChecks,
  start: wholeNumber(0),
  limit: wholeNumber(0, 10_000),
  cursor: text,
};
const searchChecks: OptionChecks<SearchRequest> = { ...pageChecks, total: flag };
const waitChecks: OptionChecks<WaitOptions> = { signal, timeoutMs: milliseconds, since: wholeNumber(0) };
const watchChecks: OptionChecks<WatchOptions> = { signal, after: text };

const kinds = ["from", "to", "containing", "text", "sender", "recipient"];

export function checkCall(options: CallOptions = {}): CallOptions {
  checkOptions(options, callChecks);
  return options;
}

export function checkPage(options: PageRequest = {}): PageRequest {
  checkOptions(options, pageChecks);
  return options;
}

export function checkSearchRequest(options: SearchRequest = {}): SearchRequest {
  checkOptions(options, searchChecks);
  return options;
}

export function checkWait(options: WaitOptions = {}): WaitOptions {
  checkOptions(options, waitChecks);
  return options;
}

export function checkWatch(options: WatchOptions = {}): WatchOptions {
  checkOptions(options, watchChecks);
  return options;
}

export function checkSearch(search: MailSearch): MailSearch {
  checkOptions(search, { kind: choiceOf(...kinds), query: text });
  if (search.kind === undefined || search.query === undefined)
    throw optionInvalid("search", "must have a kind and a query");
  return search;
}
