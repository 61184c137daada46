import { type Item, optionCheck } from "@tablekeep/core";
import { isWellFormed } from "../codecs/bytes.ts";
import { JournalError } from "../errors/journal-error.ts";
import { decodeEventFormat, encodeEventFormat } from "./event-format.ts";
import type { EventRow, JournalRow } from "./event-row.ts";
import {
  decodeMessageFormat,
  decodePayFormat,
  encodeMessageFormat,
  encodePayFormat,
  type MessageNames,
  messageNames,
} from "./message-format.ts";
import { addBatchPosition, addOwnAttributes, verifyChecksum } from "./own-attributes.ts";
import { type RowKey, rowCorrupt, sequenceNrUnsafe } from "./row-attributes.ts";
import { decodeTombstone } from "./tombstone.ts";

/**
 * How an event is stored in an item: `event` as the plugin 1.1.2 and later write it, `pay` as 1.0 to 1.1.1 do, `message` as
 * 0.x does and as in the naive tables of its documentation.
 */
export type RowFormat = "event" | "pay" | "message";

/** The attributes of an event's item, without those of its key. */
export function encodeRow(row: EventRow, format: RowFormat, names: MessageNames = messageNames): Item {
  checkRow(row);
  const item = encodeEvent(row, format, names);
  addBatchPosition(item, row.batch);
  addOwnAttributes(item, row);
  return item;
}

function encodeEvent(row: EventRow, format: RowFormat, names: MessageNames): Item {
  if (format === "event") return encodeEventFormat(row);
  return format === "pay" ? encodePayFormat(row) : encodeMessageFormat(row, names);
}

/**
 * The row that an item holds, of whichever format; undefined for an item without an event, such as the stub that a soft
 * deletion by the plugin 0.x leaves. `key` is what the item's key says.
 */
export function decodeRow(
  item: Item,
  key: RowKey,
  names: MessageNames = messageNames,
): JournalRow | undefined {
  const tombstone = decodeTombstone(item, key);
  if (tombstone !== undefined) return tombstone;
  const row = decodeEvent(item, key, names);
  if (row !== undefined) verifyChecksum(row, item);
  return row;
}

/** An item can hold several of the formats' attributes, unused ones as NULL: only bytes count. */
function decodeEvent(item: Item, key: RowKey, names: MessageNames): EventRow | undefined {
  if (item["event"]?.B !== undefined) return decodeEventFormat(item, key);
  if (item["pay"]?.B !== undefined) return decodePayFormat(item, key);
  if (item[names.payload]?.B !== undefined) return decodeMessageFormat(item, names, key);
  checkHasNoEvent(item, key, names);
  return undefined;
}

/** Throws for an item that once held an event: to skip it would lose the event silently. */
function checkHasNoEvent(item: Item, key: RowKey, names: MessageNames): void {
  for (const attribute of ["event", "pay", names.payload])
    if (item[attribute] !== undefined && item[attribute].NULL === undefined)
      throw rowCorrupt(key, attribute, "is not binary");
  if (item["ev_ser_id"] !== undefined) throw rowCorrupt(key, "event", "is missing");
}

/** Throws `JOURNAL_EVENT_INVALID` for an event that cannot be stored as it is. */
export function checkRow(row: EventRow): void {
  const { sequenceNr, timestamp, tags, manifest, payload, metadata, expiresAt, sender } = row;
  if (!Number.isSafeInteger(sequenceNr) || sequenceNr < 0) throw sequenceNrUnsafe(String(sequenceNr));
  if (timestamp !== undefined && (!Number.isSafeInteger(timestamp) || timestamp < 0))
    throw eventInvalid("timestamp", "must be an integer of at least 0, in milliseconds");
  if (expiresAt !== undefined && (!Number.isSafeInteger(expiresAt) || expiresAt < 0))
    throw eventInvalid("expiresAt", "must be an integer of at least 0, in milliseconds since 1970");
  // A string would be stored as its letters.
  if (!Array.isArray(tags)) throw eventInvalid("tags", "must be an array of strings");
  for (const tag of tags) {
    if (tag === "" || typeof tag !== "string") throw eventInvalid("tags", "must be non-empty strings");
    checkText("tags", tag);
  }
  checkText("manifest", manifest);
  checkText("serializerManifest", payload.manifest);
  if (metadata !== undefined) checkText("metadata", metadata.manifest);
  if (sender !== undefined) checkText("sender", sender);
}

function checkText(field: string, text: unknown): void {
  const reason = optionCheck.string(text);
  if (reason !== undefined) throw eventInvalid(field, reason);
  if (!isWellFormed(text as string)) throw eventInvalid(field, "must not contain unpaired surrogates");
}

function eventInvalid(field: string, reason: string): JournalError<"JOURNAL_EVENT_INVALID"> {
  return new JournalError("JOURNAL_EVENT_INVALID", `${field} ${reason}`, { field, reason });
}
