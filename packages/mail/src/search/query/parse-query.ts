import { MailError } from "../../model/mail-error.ts";
import { foldCase } from "../match-message.ts";
import {
  type ParsedQuery,
  type QueryTerm,
  type QueryTest,
  type TextField,
  textFields,
} from "./query-term.ts";

/** Limits of a query. */
const maxCharacters = 4096;
const maxTerms = 50;

/** One word of a query: its name before a colon, if it has one, and its value without quotes. */
interface Word {
  readonly not: boolean;
  /** In lower case; "" for plain text. */
  readonly name: string;
  readonly value: string;
  /** Positions in the query, from 0. */
  readonly at: number;
  readonly valueAt: number;
}

/**
 * Parses a query in Mailpit's grammar: words and "phrases" that the message must contain, `from:`, `has:attachment` and so on, each
 * excluded by a leading `-` or `!`.
 */
export function parseQuery(query: string): ParsedQuery {
  if (query.length > maxCharacters)
    throw queryInvalid(query, maxCharacters, `has more than ${maxCharacters} characters`);
  const terms: QueryTerm[] = [];
  for (const word of wordsOf(query)) {
    if (terms.length >= maxTerms) throw queryInvalid(query, word.at, `has more than ${maxTerms} terms`);
    terms.push({ not: word.not, test: testOf(query, word) });
  }
  if (terms.length === 0) throw queryInvalid(query, 0, "has no term");
  return { kind: "query", terms };
}

/** Names of terms. Any other word with a colon, such as a URL, is plain text. */
const names =
  /^(from|to|cc|bcc|reply-to|addressed|subject|message-id|tag|is|has|before|after|larger|smaller):/i;

function* wordsOf(query: string): Generator<Word> {
  let at = skipBlanks(query, 0);
  while (at < query.length) {
    const not = /^[-!][^\s]/.test(query.slice(at, at + 2));
    const nameAt = at + Number(not);
    const name = names.exec(query.slice(nameAt, nameAt + 12))?.[1] ?? "";
    const valueAt = nameAt + (name === "" ? 0 : name.length + 1);
    const { value, end } = query[valueAt] === '"' ? quoted(query, valueAt) : plain(query, valueAt);
    yield { not, name: name.toLowerCase(), value, at, valueAt };
    at = skipBlanks(query, end);
  }
}

function skipBlanks(query: string, from: number): number {
  const found = query.slice(from).search(/\S/);
  return found < 0 ? query.length : from + found;
}

function plain(query: string, from: number): { value: string; end: number } {
  const length = query.slice(from).search(/\s/);
  const end = length < 0 ? query.length : from + length;
  return { value: query.slice(from, end), end };
}

/** In quotes, a backslash precedes a quote or a backslash that is meant literally. */
function quoted(query: string, from: number): { value: string; end: number } {
  const [all, value = ""] = /^"((?:[^"\\]|\\.)*)"/s.exec(query.slice(from)) ?? [];
  if (all === undefined) throw queryInvalid(query, from, "has an unclosed quote");
  return { value: value.replaceAll(/\\(["\\])/g, "$1"), end: from + all.length };
}

function testOf(query: string, { name, value, at, valueAt }: Word): QueryTest {
  const refuse = (reason: string) => queryInvalid(query, valueAt, reason);
  const field = (name || "text") as QueryTest["field"];
  if (value.trim() === "") {
    if (name === "") throw queryInvalid(query, at, "has an empty phrase");
    throw refuse(`needs a value after ${name}:`);
  }
  if (isTextField(field)) return { field, value: oneSpaced(foldCase(value)).trim() };
  switch (field) {
    case "tag":
      return { field, value: foldCase(value.trim()) };
    case "is":
      return {
        field,
        value: oneOf(value, { read: "read", unread: "unread", tagged: "tagged" }, name, refuse),
      };
    case "has": {
      const known = {
        attachment: "attachment",
        attachments: "attachment",
        inline: "inline",
        inlines: "inline",
      } as const;
      return { field, value: oneOf(value, known, name, refuse) };
    }
    case "before":
    case "after":
      return { field, ms: timeOf(value, name, refuse) };
    case "larger":
    case "smaller":
      return { field, bytes: bytesOf(value, name, refuse) };
  }
}

function isTextField(field: string): field is TextField {
  return (textFields as readonly string[]).includes(field);
}

type Refuse = (reason: string) => Error;

function oneOf<Value extends string>(
  value: string,
  known: Readonly<Record<string, Value>>,
  name: string,
  refuse: Refuse,
): Value {
  const found = Object.entries(known).find(([each]) => each === value.toLowerCase());
  if (found !== undefined) return found[1];
  const expected = [...new Set(Object.values(known))].join(", ");
  throw refuse(`has an unknown value of ${name}: ${JSON.stringify(value)}; expected one of ${expected}`);
}

const dateForm =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?)?\s?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Dates and times without an offset are UTC. */
function timeOf(value: string, name: string, refuse: Refuse): number {
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "0", offset = "Z"] =
    dateForm.exec(value.trim()) ?? [];
  const parts = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [y, m, d, h, min, s] = parts;
  const ms = Date.UTC(y, m - 1, d, h, min, s, Number(fraction.padEnd(3, "0")));
  const isReal =
    new Date(Date.UTC(y, m - 1, d)).getUTCDate() === d && m <= 12 && h < 24 && min < 60 && s < 60;
  if (Number.isNaN(ms) || !isReal)
    throw refuse(
      `has no date after ${name}: ${JSON.stringify(value)}; write it as 2026-11-16 or "2026-11-16 10:30"`,
    );
  return ms - offsetMs(offset);
}

function offsetMs(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
  return (offset.startsWith("-") ? -minutes : minutes) * 60_000;
}

const units: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1024,
  kb: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
};

function bytesOf(value: string, name: string, refuse: Refuse): number {
  const [, number, unit = ""] = /^(\d{1,15}(?:\.\d{1,6})?)\s?([a-z]{0,2})$/i.exec(value.trim()) ?? [];
  const factor = units[unit.toLowerCase()];
  if (number === undefined || factor === undefined)
    throw refuse(`has no size after ${name}: ${JSON.stringify(value)}; write it as 500, 20k or 1.5m`);
  return Math.floor(Number(number) * factor);
}

/** Replaces runs of whitespace with single spaces, as queries match text. */
export function oneSpaced(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** The error of a query. `reason` continues after "the query". */
function queryInvalid(query: string, at: number, reason: string): MailError<"MAIL_QUERY_INVALID"> {
  const message = `the query ${reason} (at character ${at + 1})`;
  return new MailError("MAIL_QUERY_INVALID", message, { query, at, reason });
}
