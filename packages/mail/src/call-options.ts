import { type CallOptions, callChecks, type OptionChecks, optionCheck } from "@tablekeep/core";
import type { ResolvedWatch } from "./feed/watch-mail.ts";
import type { DeleteOptions } from "./model/mail.ts";
import type { WaitOptions, WantedMessage, WatchOptions } from "./model/mail-changes.ts";
import { checkOptions, optionInvalid } from "./model/mail-error.ts";
import type { MailQuery, MailSearch, PageRequest, SearchRequest } from "./model/mail-search.ts";
import type { Envelope, MailMarks, OriginalMessage } from "./model/message.ts";
import { isTag, maxTags } from "./model/tag-rules.ts";
import { parseQuery } from "./search/query/parse-query.ts";
import type { ResolvedSearch } from "./search/query/query-term.ts";

const pageChecks: OptionChecks<PageRequest> = {
  ...callChecks,
  start: optionCheck.integer(0),
  limit: optionCheck.integer(0, 10_000),
  cursor: optionCheck.nonEmptyString,
};
const searchChecks: OptionChecks<SearchRequest> = { ...pageChecks, total: optionCheck.boolean };
const deleteChecks: OptionChecks<DeleteOptions> = { ...callChecks, onProgress: optionCheck.callback };
const waitChecks: OptionChecks<WaitOptions> = {
  signal: optionCheck.signal,
  timeoutMs: optionCheck.milliseconds,
  since: optionCheck.integer(0),
  after: optionCheck.string,
};
const wantedChecks: OptionChecks<WantedMessage> = {
  to: optionCheck.nonEmptyString,
  from: optionCheck.nonEmptyString,
  subject: (value) =>
    typeof value === "string" || value instanceof RegExp ? undefined : "must be a string or an expression",
  matches: optionCheck.callback,
  since: optionCheck.string,
};
const watchChecks: OptionChecks<WatchOptions> = {
  signal: optionCheck.signal,
  after: optionCheck.string,
  search: (value) => (typeof value === "object" && value !== null ? undefined : "must be a search"),
};

const kinds = ["query", "from", "to", "containing", "text", "sender", "recipient"];

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

export function checkDelete(options: DeleteOptions = {}): DeleteOptions {
  checkOptions(options, deleteChecks);
  return options;
}

export function checkWait(options: WaitOptions = {}): WaitOptions {
  checkOptions(options, waitChecks);
  return options;
}

export function checkWanted(wanted: WantedMessage): WantedMessage {
  checkOptions(wanted, wantedChecks);
  return wanted;
}

export function checkWatch(options: WatchOptions = {}): ResolvedWatch {
  checkOptions(options, watchChecks);
  const { search, ...others } = options;
  return search === undefined ? others : { ...others, search: checkSearch(search) };
}

const tagList = (value: unknown) => {
  if (!Array.isArray(value) || value.length > maxTags) return `must be an array of at most ${maxTags} tags`;
  return value.every((tag) => typeof tag === "string" && isTag(tag))
    ? undefined
    : "must have tags of 1 to 100 characters, without commas, control characters, or leading or trailing spaces";
};

const markChecks: OptionChecks<MailMarks> = {
  read: optionCheck.boolean,
  tags: tagList,
  addTags: tagList,
  removeTags: tagList,
};

export function checkMarks(marks: MailMarks): MailMarks {
  checkOptions(marks, markChecks);
  const { read, tags, addTags, removeTags } = marks;
  const given = [tags, addTags, removeTags].filter((each) => each !== undefined).length;
  if (given > 1) throw optionInvalid("marks", "must have at most one of tags, addTags and removeTags");
  if (given === 0 && read === undefined)
    throw optionInvalid("marks", "must have read, tags, addTags or removeTags");
  return marks;
}

/** The counter in an id has four digits to the base 32. */
const originalChecks: OptionChecks<OriginalMessage> = {
  created: optionCheck.integer(0),
  key: optionCheck.nonEmptyString,
  position: optionCheck.integer(0, 1_000_000),
  read: optionCheck.boolean,
  tags: tagList,
};

export function checkOriginal(original: OriginalMessage): OriginalMessage {
  checkOptions(original, originalChecks);
  const { created, key } = original;
  if (created === undefined || key === undefined)
    throw optionInvalid("original", "must have created and key");
  return original;
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

/** Checks a search, and parses it if it is a query. */
export function checkSearch(search: MailSearch | MailQuery): ResolvedSearch {
  checkOptions(search, { kind: optionCheck.oneOf(...kinds), query: optionCheck.nonEmptyString });
  if (search.query === undefined) throw optionInvalid("search", "must have a query");
  return isQuery(search) ? parseQuery(search.query) : search;
}

function isQuery(search: MailSearch | MailQuery): search is MailQuery {
  return search.kind === undefined || search.kind === "query";
}
