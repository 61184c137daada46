import { ImapSyntaxError } from "./imap-values.ts";

/** Numbers from one to another, both included. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** Ranges of one set; more are rejected. */
const maxRanges = 1_000;

/** Parses `1,3:5,7:*`. `last` stands for `*`. */
export function parseSequenceSet(text: string, last: number): readonly NumberRange[] {
  const parts = text.split(",");
  if (parts.length > maxRanges) throw new ImapSyntaxError("too many ranges");
  return parts.map((part) => {
    const [, one, other] = /^(\*|[1-9]\d{0,9})(?::(\*|[1-9]\d{0,9}))?$/.exec(part) ?? [];
    if (one === undefined) throw new ImapSyntaxError("invalid sequence set");
    const [from, to] = [one, other ?? one].map((each) => (each === "*" ? last : Number(each)));
    return { from: Math.min(from as number, to as number), to: Math.max(from as number, to as number) };
  });
}

/** Whether one of the ranges has a number. */
export function inRanges(ranges: readonly NumberRange[], value: number): boolean {
  return ranges.some(({ from, to }) => value >= from && value <= to);
}

/** Whether a string is a sequence set. */
export function isSequenceSet(text: string): boolean {
  return /^[\d*][\d*:,]*$/.test(text);
}
