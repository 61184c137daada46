import { operationNames } from "@tablekeep/core";
import type { FaultKind } from "./fault-schedule.ts";

/** How one field of a fault is written in a schedule. `parse` answers undefined for what it cannot read. */
export interface FaultField {
  readonly parse: (text: string) => unknown;
  readonly print: (value: never) => string;
  /** A description of a valid value, for error messages. */
  readonly shape: string;
}

const numberPattern = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/;

function printNumber(value: number): string {
  return String(value).replace(/^0\./, ".");
}

function parseNumber(text: string, from: number, to: number): number | undefined {
  const value = numberPattern.test(text) ? Number(text) : Number.NaN;
  return value >= from && value <= to ? value : undefined;
}

function parseCount(text: string, from: number): number | undefined {
  const value = parseNumber(text, from, Number.MAX_SAFE_INTEGER);
  return Number.isSafeInteger(value) ? value : undefined;
}

function parseRange(text: string): unknown {
  const [from, to, ...more] = text.split("..").map((part) => parseCount(part, 1));
  if (from === undefined || more.length > 0) return undefined;
  if (!text.includes("..")) return from;
  return to !== undefined && to >= from ? [from, to] : undefined;
}

function parseList(text: string, element: (part: string) => unknown): unknown[] | undefined {
  const inside = /^\[(.*)\]$/.exec(text)?.[1];
  if (inside === undefined) return undefined;
  const elements = inside === "" ? [] : inside.split(",").map(element);
  return elements.includes(undefined) ? undefined : elements;
}

const word: FaultField = {
  parse: (text) => (/^[\w.-]+$/.test(text) ? text : undefined),
  print: (value: string) => value,
  shape: "a word of letters, digits, dot, dash and underscore",
};
const probability: FaultField = {
  parse: (text) => parseNumber(text, 0, 1),
  print: printNumber,
  shape: "a number from 0 to 1",
};
const milliseconds: FaultField = {
  parse: (text) => parseNumber(text, 0, Number.MAX_SAFE_INTEGER),
  print: printNumber,
  shape: "milliseconds",
};
const count = (from: number): FaultField => ({
  parse: (text) => parseCount(text, from),
  print: printNumber,
  shape: `a whole number from ${from}`,
});
const range: FaultField = {
  parse: parseRange,
  print: (value: number | readonly [number, number]) =>
    typeof value === "number" ? String(value) : value.join(".."),
  shape: "a request number from 1, or first..last",
};

/** Every field that a fault may have, beside `kind`. */
export const faultFields: Readonly<Record<string, FaultField>> = {
  at: range,
  nth: range,
  op: {
    parse: (text) => operationNames.find((name) => name === text),
    print: (value: string) => value,
    shape: "the name of an operation, as PutItem",
  },
  table: word,
  p: probability,
  times: count(1),
  exception: word,
  reason: word,
  ms: milliseconds,
  items: {
    parse: (text) =>
      text.startsWith("[") ? parseList(text, (part) => parseCount(part, 0)) : parseCount(text, 0),
    print: (value: number | readonly number[]) =>
      typeof value === "number" ? String(value) : `[${value.join(",")}]`,
    shape: "a whole number, or a list of positions from 0",
  },
  share: probability,
  rounds: count(1),
  behind: count(1),
  action: count(0),
  reasons: {
    parse: (text) => parseList(text, word.parse),
    print: (value: readonly string[]) => `[${value.join(",")}]`,
    shape: "a list of words",
  },
};

/** The fields that say where a fault strikes; every kind may have them. */
const placeFields = ["at", "nth", "op", "table", "p", "times"];

/** The fields specific to a kind; required ones end in `!`. */
const ownFields: Readonly<Record<FaultKind, readonly string[]>> = {
  throttle: ["exception", "reason"],
  refuse: ["exception!"],
  "error-before-apply": [],
  "error-after-apply": [],
  unreachable: [],
  "lost-before-apply": [],
  "lost-after-apply": [],
  hang: [],
  "hang-after-apply": [],
  delay: ["ms!"],
  "delay-answer": ["ms!"],
  unprocessed: ["items", "share", "rounds"],
  stale: ["behind"],
  "page-cut": ["items!"],
  "transaction-conflict": ["action"],
  "transaction-canceled": ["reasons!"],
};

/** Every kind of fault. */
export const faultKinds: readonly FaultKind[] = Object.keys(ownFields) as FaultKind[];

/** The fields that a fault of this kind may have, and those it must have. */
export function fieldsOf(kind: FaultKind): {
  readonly allowed: readonly string[];
  readonly required: readonly string[];
} {
  const own = ownFields[kind];
  const required = own.filter((name) => name.endsWith("!")).map((name) => name.slice(0, -1));
  return { allowed: [...placeFields, ...own.map((name) => name.replace("!", ""))], required };
}
