import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { createCodecs } from "@tablekeep/journal";

/** The journal draws these; the floor need not. */
const writeId = "0123456789abcdefghijkl";
const writerUuid = "7d9f6d4e-7f2c-4a25-9a8e-0d4f6f4c9a11";
const time = "1790000000000";

const codecs = createCodecs();
const keyOf = (partition, number) => ({ par: { S: `journal-${partition}` }, num: { N: String(number) } });

/**
 * The requests that the journal makes in the packed layout, with its codec and its checksum, and nothing else: no conflicts
 * judged, no deadlines, nothing checked. That they are the same is compared before anything is measured.
 */
export async function packedFloor(port, _journal, TableName) {
  const append = (id, first, payloads) => {
    const row = {
      TableName,
      Item: itemOf(id, first, payloads),
      ConditionExpression: "attribute_not_exists(#key)",
      ExpressionAttributeNames: { "#key": "par" },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    };
    if (first > 1) return port.putItem(row);
    return port.transactWriteItems({ TransactItems: [{ Put: row }, { Put: registryPut(TableName, id) }] });
  };
  return {
    append: (id, version, payload) => append(id, version, [payload]),
    appendGroup: append,
    read: (id) => readAll(port, TableName, id),
  };
}

/** One item: a version, the head of the write, and for each event its flags, serializer, length and bytes. */
function itemOf(id, first, payloads) {
  const parts = [Uint8Array.of(1, 0, payloads.length, 0, 0)];
  for (const payload of payloads) {
    const { serializerId, bytes } = codecs.encode(payload);
    parts.push(Uint8Array.from([0, ...varint(serializerId * 2), ...varint(bytes.length)]), bytes);
  }
  const bytes = Buffer.concat(parts);
  return {
    wid: { S: writeId },
    w: { S: writerUuid },
    ts: { N: time },
    events: { N: String(payloads.length) },
    ev: { B: bytes },
    crc: { B: checksumOf(id, first, payloads.length, bytes) },
    ...keyOf(`P-${id}`, first),
  };
}

function varint(value) {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

function checksumOf(id, first, count, bytes) {
  const numbers = [first, count, first, 0, 0, time, bytes.length];
  const texts = [id, writeId, writerUuid].map((text) => `${text.length}:${text}`);
  const crc = crc32(bytes, crc32(`${numbers.join(",")};${texts.join(",")}`));
  return Uint8Array.of(crc >>> 24, crc >>> 16, crc >>> 8, crc);
}

/** Queries the whole id, a page after the other. */
async function readAll(port, TableName, id) {
  const query = (from, to, more) =>
    port.query({
      TableName,
      KeyConditionExpression: "#par = :par AND #num BETWEEN :from AND :to",
      ExpressionAttributeNames: { "#par": "par", "#num": "num" },
      ExpressionAttributeValues: {
        ":par": { S: `journal-P-${id}` },
        ":from": { N: String(from) },
        ":to": { N: String(to) },
      },
      ConsistentRead: true,
      ...more,
    });
  const writer = "9007199254740992";
  let count = 0;
  const take = ({ Items }) => {
    for (const item of Items)
      for (const event of eventsOf(id, item)) if (event.payload !== undefined) count++;
  };
  const first = await query(1, writer, { Limit: 500 });
  take(first);
  if (first.LastEvaluatedKey === undefined) return count;
  const { Items } = await query(0, writer, { ScanIndexForward: false, Limit: 3 });
  const last = Number(Items[0].num.N) + Number(Items[0].events.N) - 1;
  const next = count + 1;
  let ExclusiveStartKey;
  do {
    const page = await query(next, last, { Limit: 500, ExclusiveStartKey });
    take(page);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return count;
}

/** The events of an item, as callers receive them. */
function eventsOf(id, { num, ev, events, ts, w, crc }) {
  const first = Number(num.N);
  const count = Number(events.N);
  const bytes = ev.B;
  // The checksum is computed, but its head is not that of this item.
  if (checksumOf(id, first, count, bytes).length !== crc.B.length) throw new Error("corrupt");
  let at = 5;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  return Array.from({ length: count }, (_unused, index) => {
    at++;
    const serializerId = number() / 2;
    const length = number();
    const part = bytes.subarray(at, at + length);
    at += length;
    return {
      persistenceId: id,
      sequenceNr: first + index,
      payload: codecs.decode({ serializerId, manifest: "", bytes: part }),
      serializerId,
      serializerManifest: "",
      manifest: "",
      writerUuid: w.S,
      timestamp: Number(ts.N),
      tags: [],
    };
  });
}

function registryPut(TableName, id) {
  const hash = createHash("sha256").update(id).digest();
  const place = hash.readUIntBE(4, 6) * 16 + (hash.readUInt8(10) >> 4);
  return {
    TableName,
    Item: { ...keyOf(`R-${hash.readUInt32BE(0) % 64}`, place), persistence_id: { S: id } },
    ConditionExpression: "attribute_not_exists(persistence_id) OR persistence_id = :id",
    ExpressionAttributeValues: { ":id": { S: id } },
  };
}
