import { crc32 } from "node:zlib";
import { createCodecs } from "@tablekeep/journal";

/** The journal's rows and marks, made and read with its codec and nothing else. */

export const bucketSize = 100;
const shards = Array.from({ length: 10 }, (_unused, shard) => shard);
const codecs = createCodecs();
/** The journal draws one an append; the floor need not. */
export const writeId = "0123456789abcdefghijkl";

export const bucketOf = (sequenceNr) => Math.floor(sequenceNr / bucketSize);
export const keyOf = (partition, number) => ({
  par: { S: `journal-${partition}` },
  num: { N: String(number) },
});
export const writerKey = (id) => keyOf(`W-${id}`, 0);
export const markKey = (id, sequenceNr) => keyOf(`SH-${id}-${bucketOf(sequenceNr) % shards.length}`, 0);

/** The keys of all items that define the position of an id, except its rows. */
export const markKeys = (id) => [
  ...shards.map((shard) => keyOf(`SH-${id}-${shard}`, 0)),
  ...shards.map((shard) => keyOf(`SL-${id}-${shard}`, 0)),
  writerKey(id),
];

/** Written and verified by every store that uses this codec. */
function checksumOf(serializerId, bytes) {
  return crc32(bytes, crc32(`${serializerId}:${bytes.length}:0:`));
}

/** The row of an event; `place` is that in an atomic write of several. */
export function itemOf(id, sequenceNr, payload, place) {
  const { serializerId, bytes } = codecs.encode(payload);
  const crc = checksumOf(serializerId, bytes);
  return {
    persistence_id: { S: id },
    seq: { N: String(sequenceNr) },
    event: { B: bytes },
    writer_uuid: { S: "7d9f6d4e-7f2c-4a25-9a8e-0d4f6f4c9a11" },
    ev_ser_id: { N: String(serializerId) },
    ...(place && { idx: { N: String(place.index) }, cnt: { N: String(place.lastIndex) } }),
    wid: { S: writeId },
    crc: { B: Uint8Array.of(crc >>> 24, crc >>> 16, crc >>> 8, crc) },
    ts: { N: "1790000000000" },
    ...keyOf(`P-${id}-${bucketOf(sequenceNr)}`, sequenceNr % bucketSize),
  };
}

/** The part of a row that callers receive. Does not check whether the row is the expected one. */
export function eventOf({ persistence_id, seq, event, writer_uuid, ev_ser_id, crc, ts }) {
  const serializerId = Number(ev_ser_id.N);
  const [a, b, c, d] = crc.B;
  if (checksumOf(serializerId, event.B) !== ((a << 24) | (b << 16) | (c << 8) | d) >>> 0)
    throw new Error(`the checksum of event ${seq.N} is wrong`);
  return {
    persistenceId: persistence_id.S,
    sequenceNr: Number(seq.N),
    payload: codecs.decode({ serializerId, manifest: "", bytes: event.B }),
    serializerId,
    serializerManifest: "",
    manifest: "",
    writerUuid: writer_uuid.S,
    timestamp: Number(ts.N),
    tags: [],
  };
}

/** The query for the numbers of one bucket. */
export function bucketQuery(TableName, id, from, to) {
  return {
    TableName,
    KeyConditionExpression: "#par = :par AND #num BETWEEN :from AND :to",
    ExpressionAttributeNames: { "#par": "par", "#num": "num" },
    ExpressionAttributeValues: {
      ":par": { S: `journal-P-${id}-${bucketOf(from)}` },
      ":from": { N: String(from % bucketSize) },
      ":to": { N: String(to % bucketSize) },
    },
    ConsistentRead: true,
  };
}

export const endOfBucket = (sequenceNr) => (bucketOf(sequenceNr) + 1) * bucketSize - 1;
