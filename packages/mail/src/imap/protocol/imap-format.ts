/** A piece of a response: text, or unchanged bytes. */
export type AnswerPiece = string | Uint8Array;

/** A string of the protocol: quoted if it is short and plain, and otherwise a literal. NIL for undefined. */
export function nstring(value: string | Uint8Array | undefined): readonly AnswerPiece[] {
  if (value === undefined) return ["NIL"];
  if (typeof value === "string" && value.length <= 500 && /^[\x20-\x7e]*$/.test(value))
    return [`"${value.replaceAll(/["\\]/g, "\\$&")}"`];
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  return [`{${bytes.length}}\r\n`, bytes];
}

/** Values in parentheses, separated by spaces. */
export function listed(items: readonly (readonly AnswerPiece[])[]): readonly AnswerPiece[] {
  return ["(", ...items.flatMap((item, at) => (at === 0 ? item : [" ", ...item])), ")"];
}

/** Milliseconds of a day. */
export const dayMs = 86_400_000;

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `"02-Jan-2026 03:04:05 +0000"` */
export function internalDate(ms: number): string {
  const date = new Date(ms);
  const day = String(date.getUTCDate()).padStart(2, " ");
  const time = date.toISOString().slice(11, 19);
  return `"${day}-${months[date.getUTCMonth()]}-${date.getUTCFullYear()} ${time} +0000"`;
}

/** Parses `2-Jan-2026`, the format of SEARCH; returns the first millisecond of that day in UTC. Undefined if it is not a date. */
export function parseDay(text: string): number | undefined {
  const [, day, name, year] = /^(\d{1,2})-([A-Za-z]{3})-(\d{4})$/.exec(text) ?? [];
  const month = months.findIndex((each) => each.toLowerCase() === name?.toLowerCase());
  if (month < 0) return undefined;
  const ms = Date.UTC(Number(year), month, Number(day));
  return new Date(ms).getUTCDate() === Number(day) ? ms : undefined;
}

/**
 * The day in a field Date, as {@link parseDay} returns it: the date as it is written, because SEARCH ignores time and zone. Undefined if there
 * is none.
 */
export function dayOfDateField(text: string): number | undefined {
  const [, day, month, year] =
    /^\s*(?:[a-z]{2,9}\.?\s*,?\s*)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*[\s-]+(\d{4})\b/i.exec(text) ?? [];
  if (day !== undefined) return parseDay(`${day}-${month}-${year}`);
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / dayMs) * dayMs;
}
