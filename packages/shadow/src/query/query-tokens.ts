import { numberOf } from "../document/exact-number.ts";
import { ShadowError } from "../model/shadow-error.ts";
import type { QueryValue } from "./query-condition.ts";

/** A part of a query. Words are keywords and paths, with their keys. */
export type QueryToken = { readonly at: number; readonly text: string } & (
  | { readonly kind: "word"; readonly keys: readonly [string, ...string[]] }
  | { readonly kind: "value"; readonly value: QueryValue }
  | { readonly kind: "symbol" | "end" }
);

const space = /\s*/y;
const text = /"(?:[^"\\]|\\.)*"/y;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const symbol = /!=|<=|>=|[=<>()]/y;
const word = /[A-Za-z_][\w-]*(?:\.(?:[\w-]+|"(?:[^"\\]|\\.)*"))*(?![\w.-])/y;
const key = /"(?:[^"\\]|\\.)*"|[\w-]+/g;

/** Splits a query into tokens; the last one is its end. */
export function queryTokens(query: string): QueryToken[] {
  const tokens: QueryToken[] = [];
  let at = 0;
  const found = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(query)?.[0];
  };
  for (;;) {
    at += found(space)?.length ?? 0;
    if (at === query.length) return [...tokens, { kind: "end", at, text: "the end" }];
    const token = tokenAt(query, at, found);
    tokens.push(token);
    at += token.text.length;
  }
}

function tokenAt(query: string, at: number, found: (pattern: RegExp) => string | undefined): QueryToken {
  const quoted = found(text);
  if (quoted !== undefined) return { kind: "value", at, text: quoted, value: unquoted(query, at, quoted) };
  const digits = found(number);
  if (digits !== undefined) return { kind: "value", at, text: digits, value: numberOf(digits) };
  const sign = found(symbol);
  if (sign !== undefined) return { kind: "symbol", at, text: sign };
  const path = found(word);
  if (path === undefined) throw queryInvalid(query, at, reasonAt(query, at));
  const [first = "", ...rest] = (path.match(key) ?? []).map((each) =>
    each.startsWith('"') ? unquoted(query, at, each) : each,
  );
  return { kind: "word", at, text: path, keys: [first, ...rest] };
}

function unquoted(query: string, at: number, quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw queryInvalid(query, at, `${quoted} is not a JSON string`);
  }
}

function reasonAt(query: string, at: number): string {
  const character = String.fromCodePoint(query.codePointAt(at) ?? 0);
  if (character === '"') return "the string is not terminated: add a quote";
  if (character === "'") return "strings have double quotes";
  if (/[A-Za-z_]/.test(character)) return "the path has a dot without a key: quote keys that are not words";
  if (/[\d-]/.test(character)) return "expected a number such as 21.5: quote strings";
  return `unexpected ${JSON.stringify(character)}`;
}

/** The error for a query that cannot be parsed; `at` counts from 0. */
export function queryInvalid(query: string, at: number, reason: string): ShadowError<"SHADOW_QUERY_INVALID"> {
  return new ShadowError("SHADOW_QUERY_INVALID", `the query is invalid at character ${at + 1}: ${reason}`, {
    query,
    position: at + 1,
    reason,
  });
}
