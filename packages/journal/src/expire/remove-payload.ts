import type { EncodedPayload } from "../codecs/codec.ts";
import { createCodecs } from "../codecs/create-codecs.ts";
import { readEnvelope } from "../codecs/encrypted-envelope.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";
import { joinMetadata, splitMetadata } from "../context/event-metadata.ts";
import type { EventRow } from "../rows/event-row.ts";

/** Ids are plain data: the codecs of a journal are not needed to read them. */
const codecs = createCodecs();

/** Returns a row without the data of its event: sequence number, place, ids, tags, type and times stay. */
export function withoutData(row: EventRow): EventRow {
  const { manifest } = row.payload;
  const payload = { serializerId: ownSerializers.expired, manifest, bytes: new Uint8Array() };
  return { ...row, payload, metadata: row.metadata && idsOnly(row.metadata) };
}

/** Metadata with the ids of the event alone; undefined if there are none, or if they cannot be read. */
function idsOnly(metadata: EncodedPayload): EncodedPayload | undefined {
  const ids = readIds(metadata);
  return ids && codecs.encode(joinMetadata(ids, undefined));
}

function readIds(metadata: EncodedPayload): object | undefined {
  try {
    if (metadata.serializerId !== ownSerializers.encrypted) return splitMetadata(codecs.decode(metadata)).ids;
    const { clear } = readEnvelope(metadata.bytes);
    const ids: unknown = clear.length === 0 ? undefined : JSON.parse(Buffer.from(clear).toString());
    return typeof ids === "object" && ids !== null ? ids : undefined;
  } catch {
    return undefined;
  }
}
