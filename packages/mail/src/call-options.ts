import { type CallOptions, type OptionChecks, optionCheck } from "@tablekeep/core";
import type {
  Envelope,
  MailSearch,
  PageRequest,
  SearchRequest,
  WaitOptions,
  WatchOptions,
} from "./model/mail.ts";
import { checkOptions, optionInvalid } from "./model/mail-error.ts";

/** The options of each call. */
const callChecks: OptionChecks<CallOptions> = {
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
  idempotent: optionCheck.boolean,
  maxAttempts: optionCheck.integer(1),
  onRetry: optionCheck.callback,
};
const pageChecks: OptionChecks<PageRequest> = {
  ...callChecks,
  start: optionCheck.integer(0),
  limit: optionCheck.integer(0, 10_000),
  cursor: optionCheck.nonEmptyString,
};
const searchChecks: OptionChecks<SearchRequest> = { ...pageChecks, total: optionCheck.boolean };
const waitChecks: OptionChecks<WaitOptions> = {
  signal: optionCheck.signal,
  timeoutMs: optionCheck.milliseconds,
  since: optionCheck.integer(0),
  after: optionCheck.string,
};
const watchChecks: OptionChecks<WatchOptions> = {
  signal: optionCheck.signal,
  after: optionCheck.nonEmptyString,
};

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

/** Required properties of an envelope; others are ignored. */
const envelopeChecks = [
  ["from", optionCheck.string],
  ["to", optionCheck.arrayOf(optionCheck.string)],
  ["helo", optionCheck.string],
] as const;

export function checkEnvelope(envelope: Envelope): Envelope {
  if (typeof envelope !== "object" || envelope === null) throw optionInvalid("envelope", "must be an object");
  const refuse = (name: string, reason: string | undefined) => {
    if (reason !== undefined) throw optionInvalid(`envelope.${name}`, reason);
  };
  for (const [name, check] of envelopeChecks) refuse(name, check(envelope[name]));
  if (envelope.user !== undefined) refuse("user", optionCheck.string(envelope.user));
  return envelope;
}

export function checkSearch(search: MailSearch): MailSearch {
  checkOptions(search, { kind: optionCheck.oneOf(...kinds), query: optionCheck.nonEmptyString });
  if (search.kind === undefined || search.query === undefined)
    throw optionInvalid("search", "must have a kind and a query");
  return search;
}
