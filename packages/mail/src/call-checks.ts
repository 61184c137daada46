import { type CallOptions, type OptionChecks, optionCheck } from "@tablekeep/core";
import type { Envelope, MailSearch, PageRequest, SearchRequest, WaitOptions, WatchOptions } from "./mail.ts";
import { checkOptions, optionInvalid } from "./options/check-options.ts";

/** The checks of what each call takes. */
const callChecks: OptionChecks<CallOptions> = {
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
  idempotent: optionCheck.flag,
  maxAttempts: optionCheck.wholeNumber(1),
  onRetry: optionCheck.callable,
};
const pageChecks: OptionChecks<PageRequest> = {
  ...callChecks,
  start: optionCheck.wholeNumber(0),
  limit: optionCheck.wholeNumber(0, 10_000),
  cursor: optionCheck.text,
};
const searchChecks: OptionChecks<SearchRequest> = { ...pageChecks, total: optionCheck.flag };
const waitChecks: OptionChecks<WaitOptions> = {
  signal: optionCheck.signal,
  timeoutMs: optionCheck.milliseconds,
  since: optionCheck.wholeNumber(0),
  after: optionCheck.anyText,
};
const watchChecks: OptionChecks<WatchOptions> = { signal: optionCheck.signal, after: optionCheck.text };

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

/** What an envelope must have; more does no harm. */
const envelopeChecks = [
  ["from", optionCheck.anyText],
  ["to", optionCheck.listOf(optionCheck.anyText)],
  ["helo", optionCheck.anyText],
] as const;

export function checkEnvelope(envelope: Envelope): Envelope {
  if (typeof envelope !== "object" || envelope === null) throw optionInvalid("envelope", "must be an object");
  const refuse = (name: string, reason: string | undefined) => {
    if (reason !== undefined) throw optionInvalid(`envelope.${name}`, reason);
  };
  for (const [name, check] of envelopeChecks) refuse(name, check(envelope[name]));
  if (envelope.user !== undefined) refuse("user", optionCheck.anyText(envelope.user));
  return envelope;
}

export function checkBytes(bytes: Uint8Array): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  throw optionInvalid("bytes", "must be a Uint8Array: make one of a text with Buffer.from");
}

export function checkSearch(search: MailSearch): MailSearch {
  checkOptions(search, { kind: optionCheck.choiceOf(...kinds), query: optionCheck.text });
  if (search.kind === undefined || search.query === undefined)
    throw optionInvalid("search", "must have a kind and a query");
  return search;
}
