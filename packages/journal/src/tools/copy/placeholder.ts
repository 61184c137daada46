import { akkaSerializers } from "../../codecs/serializer-ids.ts";
import type { EventRow } from "../../rows/event-row.ts";
import type { RowFormat } from "../../rows/row-format.ts";

/**
 * A row for a number that has no event in the source: one that the original lost, or that replays leave out. It is a
 * softly deleted event without data: readers pass over it, those of Akka too, and the target has no gap.
 */
export function placeholder(persistenceId: string, sequenceNr: number): EventRow {
  return {
    kind: "event",
    persistenceId,
    sequenceNr,
    payload: { serializerId: akkaSerializers.bytes, manifest: "", bytes: new Uint8Array() },
    manifest: "",
    writerUuid: "",
    tags: [],
    staged: false,
    deleted: true,
  };
}

export function isPlaceholder({ deleted, payload, writerUuid }: EventRow): boolean {
  const { serializerId, bytes } = payload;
  return (
    deleted === true && writerUuid === "" && serializerId === akkaSerializers.bytes && bytes.length === 0
  );
}

/** The format of a row that is copied: that of the plugin since 1.1.2 has no place for a soft deletion. */
export function formatFor(row: EventRow, format: RowFormat): RowFormat {
  return row.deleted === true && format === "event" ? "pay" : format;
}
