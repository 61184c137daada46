import type { Item } from "@tablekeep/core";
import type { EventRow } from "./event-row.ts";
import { decodeBatchPosition, decodeOwnAttributes } from "./own-attributes.ts";
import { binary, int32, type RowKey, rowCorrupt, safeSequenceNr, text } from "./row-attributes.ts";

/**
 * A row as the plugin 1.1.2 and later write it: one attribute for each part of an event. All of persistence_id, seq,
 * ev_ser_id and writer_uuid must be there, or the original fails to replay the whole id.
 */
export function encodeEventFormat(row: EventRow): Item {
  const { payload, manifest } = row;
  const item: Item = {
    persistence_id: { S: row.persistenceId },
    seq: { N: String(row.sequenceNr) },
    event: { B: payload.bytes },
    writer_uuid: { S: row.writerUuid },
    ev_ser_id: { N: String(payload.serializerId) },
  };
  if (payload.manifest !== "") item["ev_ser_manifest"] = { S: payload.manifest };
  if (manifest !== "") item["manifest"] = { S: manifest };
  return item;
}

/** Reads such a row. The number and the id are those of the attributes, as with the original; the key's where they are missing. */
export function decodeEventFormat(item: Item, key: RowKey): EventRow {
  const bytes = binary(item, "event", key);
  if (bytes === undefined) throw rowCorrupt(key, "event", "is missing");
  const serializerId = int32(item, "ev_ser_id", key);
  if (serializerId === undefined) throw rowCorrupt(key, "ev_ser_id", "is missing");
  const batch = decodeBatchPosition(item, key);
  // It would not be recognized as a part of its write, and hide the others. The original fails too.
  if (batch !== undefined && item["writer_uuid"] === undefined)
    throw rowCorrupt(key, "writer_uuid", "is missing");
  const { writeId, timestamp, tags, metadata, staged, aboveHole, expiresAt } = decodeOwnAttributes(item, key);
  // Each member by its name, there or not: every event that is replayed comes through here.
  return {
    kind: "event",
    persistenceId: item["persistence_id"]?.S ?? key.persistenceId,
    sequenceNr: item["seq"]?.N === undefined ? key.sequenceNr : safeSequenceNr(item["seq"].N),
    payload: { serializerId, manifest: text(item, "ev_ser_manifest", key), bytes },
    manifest: text(item, "manifest", key),
    writerUuid: text(item, "writer_uuid", key),
    timestamp,
    tags,
    metadata,
    batch,
    writeId,
    staged,
    aboveHole,
    expiresAt,
  };
}
