import { ImapSyntaxError } from "./imap-values.ts";

/** Numbers from one to another, both included. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** Ranges of one set; more are rejected. */
const maxRanges = 1_000;

/** Parses `1,3:5,7:*`, where `last` stands for `*`. Returns ranges in ascending order that do not touch each other. */
export function parseSequenceSet(text: string, last: number): readonly NumberRange[] {
  const parts = text.split(",");
  if (parts.length > maxRanges) throw new ImapSyntaxError("too many ranges");
  const ranges = parts.map((part): NumberRange => {
    const [, one, other] = /^(\*|[1-9]\d{0,9})(?::(\*|[1-9]\d{0,9}))?$/.exec(part) ?? [];
    if (one === undefined) throw new ImapSyntaxError("invalid sequence set");
    const [from, to] = [one, other ?? one].map((each) => (each === "*" ? last : Number(each)));
    return { from: Math.min(from as number, to as number), to: Math.max(from as number, to as number) };
  });
  const joined: NumberRange[] = [];
  for (const { from, to } of ranges.sort((one, other) => one.from - other.from)) {
    const before = joined.at(-1);
    if (before === undefined || from > before.to + 1) joined.push({ from, to });
    else joined[joined.length - 1] = { from: before.from, to: Math.max(before.to, to) };
  }
  return joined;
}

/** Whether one of the ranges of a set has a number. Clients ask for a thousand ranges of a hundred thousand messages. */
export function inRanges(ranges: readonly NumberRange[], value: number): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] as NumberRange).to < value) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.from ?? Number.POSITIVE_INFINITY) <= value;
}

/** Whether a string is a sequence set. */
export function isSequenceSet(text: string): boolean {
  return /^[\d*][\d*:,]*$/.test(text);
}
