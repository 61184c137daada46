import type { Codecs } from "../codecs/codec.ts";
import { createCodecs } from "../codecs/create-codecs.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";
import { joinMetadata } from "../context/event-metadata.ts";
import { storedIds } from "../context/stored-ids.ts";
import type { EventRow } from "../rows/event-row.ts";

/** Ids are plain data: whatever reads the journal later can read them. */
const builtIn = createCodecs();

/** Returns a row without the data of its event: sequence number, place, ids, tags, type and times stay. */
export async function withoutData(codecs: Codecs, row: EventRow): Promise<EventRow> {
  const { manifest } = row.payload;
  const payload = { serializerId: ownSerializers.expired, manifest, bytes: new Uint8Array() };
  const ids = await storedIds(codecs, row);
  return { ...row, payload, metadata: ids && builtIn.encode(joinMetadata(ids, undefined)) };
}
