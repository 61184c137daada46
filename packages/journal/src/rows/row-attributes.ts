import type { Item } from "@tablekeep/core";
import { JournalError } from "../errors/journal-error.ts";

/** Integers of this many digits are always exact: 2^53 has 16 digits. */
const maxDigits = 15;

/**
 * The integer in a string of up to 15 digits; −1 for any other string. Rows are mostly numbers, and this takes
 * half the time of `Number`, which also parses fractions, exponents and spaces.
 */
export function fewDigits(text: string): number {
  if (text.length === 0 || text.length > maxDigits) return -1;
  let number = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** The owner of a row, by its key. */
export interface RowKey {
  readonly persistenceId: string;
  readonly sequenceNr: number;
}

/** Returns the error for a corrupt item. `reason` continues the attribute's name: "is not a number". */
export function rowCorrupt(
  { persistenceId, sequenceNr }: RowKey,
  attribute: string,
  reason: string,
  cause?: unknown,
): JournalError<"JOURNAL_ROW_CORRUPT"> {
  return new JournalError(
    "JOURNAL_ROW_CORRUPT",
    `event ${sequenceNr} of ${JSON.stringify(persistenceId)}: ${attribute} ${reason} (restore the item from a backup, or delete it)`,
    { persistenceId, sequenceNr, attribute, reason },
    { cause },
  );
}

/** Returns an integer attribute of a row; undefined if it is missing. Throws for a number that JavaScript would round. */
export function wholeNumber(item: Item, attribute: string, key: RowKey): number | undefined {
  const value = item[attribute];
  if (value === undefined) return undefined;
  if (value.N === undefined) throw rowCorrupt(key, attribute, "is not a number");
  const few = fewDigits(value.N);
  if (few !== -1) return few;
  const number = Number(value.N);
  // A fraction that rounds to an integer is still a fraction.
  if (!Number.isSafeInteger(number) || value.N.includes("."))
    throw rowCorrupt(
      key,
      attribute,
      `is not an integer that JavaScript represents exactly: ${value.N.slice(0, 40)}`,
    );
  return number;
}

/** Like {@link wholeNumber}, within 32 bits. */
export function int32(item: Item, attribute: string, key: RowKey): number | undefined {
  const number = wholeNumber(item, attribute, key);
  if (number !== undefined && number !== (number | 0))
    throw rowCorrupt(key, attribute, "has more than 32 bits");
  return number;
}

/** Returns a string attribute of a row; "" if it is missing. */
export function text(item: Item, attribute: string, key: RowKey): string {
  const value = item[attribute];
  if (value === undefined) return "";
  if (value.S === undefined) throw rowCorrupt(key, attribute, "is not a string");
  return value.S;
}

/** Returns a binary attribute of a row; undefined if it is missing. */
export function binary(item: Item, attribute: string, key: RowKey): Uint8Array | undefined {
  const value = item[attribute];
  if (value === undefined) return undefined;
  if (value.B === undefined) throw rowCorrupt(key, attribute, "is not binary");
  return value.B;
}

/** Returns a stored sequence number. Throws if JavaScript cannot represent it exactly. */
export function safeSequenceNr(stored: string | bigint): number {
  if (typeof stored === "string") {
    const few = fewDigits(stored);
    if (few !== -1) return few;
  }
  const number = Number(stored);
  if (Number.isSafeInteger(number) && number >= 0 && !String(stored).includes(".")) return number;
  throw sequenceNrUnsafe(String(stored));
}

/** The error for a sequence number that would be rounded. */
export function sequenceNrUnsafe(sequenceNr: string): JournalError<"JOURNAL_SEQUENCE_NR_UNSAFE"> {
  return new JournalError(
    "JOURNAL_SEQUENCE_NR_UNSAFE",
    `sequence number ${sequenceNr.slice(0, 40)} is not between 0 and 2^53 - 1 and would not be exact (move the events to a new persistence id)`,
    { sequenceNr },
  );
}
