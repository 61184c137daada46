import type { Item } from "@tablekeep/core";
import { MalformedBytes } from "../codecs/bytes.ts";
import type { EventRow } from "./event-row.ts";
import { decodeBatchPosition, decodeOwnAttributes } from "./own-attributes.ts";
import {
  decodePersistentMessage,
  encodePersistentMessage,
  type PersistentMessage,
} from "./persistent-message.ts";
import { binary, type RowKey, rowCorrupt, safeSequenceNr } from "./row-attributes.ts";

/** The attribute names of a row that holds one PersistentMessage. */
export interface MessageNames {
  readonly payload: string;
  /** "true" or "false": soft deletion. */
  readonly deleted: string;
  /** The channels that confirmed the event. */
  readonly confirmations: string;
}

/** The names in tables of the plugin 0.x, and in the naive tables that its documentation begins with. */
export const messageNames: MessageNames = {
  payload: "payload",
  deleted: "deleted",
  confirmations: "confirmations",
};

/** A row as the plugin up to 1.1.1 writes it: the whole event is one PersistentMessage in `pay`. */
export function encodePayFormat(row: EventRow): Item {
  const { payload, sequenceNr, persistenceId, deleted, sender, manifest, writerUuid } = row;
  const message = { payload, sequenceNr, persistenceId, deleted, sender, manifest, writerUuid };
  return { pay: { B: encodePersistentMessage(message) } };
}

/** A row as the plugin 0.x writes it, with the fields that Akka 2.3 writes. Whether it is deleted is stored beside the message only. */
export function encodeMessageFormat(row: EventRow, names: MessageNames): Item {
  const { payload, sequenceNr, persistenceId, sender, manifest, writerUuid, confirmations = [] } = row;
  const message = { payload, sequenceNr, persistenceId, akka23: true, sender, manifest, writerUuid };
  return {
    [names.payload]: { B: encodePersistentMessage(message) },
    [names.deleted]: { S: row.deleted === true ? "true" : "false" },
    ...(confirmations.length > 0 && { [names.confirmations]: { SS: [...new Set(confirmations)].sort() } }),
  };
}

/** Reads a row of `pay`. */
export function decodePayFormat(item: Item, key: RowKey): EventRow {
  return decodeMessage(item, "pay", key);
}

/** Reads a row of the plugin 0.x, or of a naive table. */
export function decodeMessageFormat(item: Item, names: MessageNames, key: RowKey): EventRow {
  const row = decodeMessage(item, names.payload, key);
  const { S: text, BOOL: flag } = item[names.deleted] ?? {};
  const confirmations = item[names.confirmations]?.SS ?? row.confirmations;
  return {
    ...row,
    deleted: text === "true" || flag === true || row.deleted === true,
    ...(confirmations !== undefined && { confirmations }),
  };
}

function decodeMessage(item: Item, attribute: string, key: RowKey): EventRow {
  const bytes = binary(item, attribute, key);
  if (bytes === undefined) throw rowCorrupt(key, attribute, "is missing");
  const message = parse(bytes, attribute, key);
  const { payload, sequenceNr, timestamp } = message;
  if (payload === undefined) throw rowCorrupt(key, attribute, "has no payload");
  const own = decodeOwnAttributes(item, key);
  return {
    ...own,
    kind: "event",
    persistenceId: message.persistenceId === "" ? key.persistenceId : message.persistenceId,
    sequenceNr: sequenceNr === undefined ? key.sequenceNr : safeSequenceNr(sequenceNr),
    payload,
    manifest: message.manifest,
    writerUuid: message.writerUuid,
    timestamp: own.timestamp ?? (timestamp > 0n ? Number(timestamp) : undefined),
    metadata: own.metadata ?? message.metadata,
    batch: decodeBatchPosition(item, key),
    ...(message.deleted && { deleted: true }),
    ...(message.confirms.length > 0 && { confirmations: message.confirms }),
    ...(message.sender !== "" && { sender: message.sender }),
  };
}

function parse(bytes: Uint8Array, attribute: string, key: RowKey): PersistentMessage {
  try {
    return decodePersistentMessage(bytes);
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw rowCorrupt(key, attribute, `is not a PersistentMessage: it ${error.message}`, error);
  }
}
