import { createCodecs } from "@tablekeep/journal";

/** The requests that the journal makes, and nothing else: no numbers given, no conflicts judged, nothing checked. */
export async function floorSide(port, _journal, TableName) {
  const codecs = createCodecs();
  const itemOf = (id, version, payload) => {
    const { serializerId, bytes } = codecs.encode(payload);
    return {
      par: { S: `floor-P-${id}-${Math.floor(version / 100)}` },
      num: { N: String(version % 100) },
      persistence_id: { S: id },
      seq: { N: String(version) },
      event: { B: bytes },
      ev_ser_id: { N: String(serializerId) },
      writer_uuid: { S: "7d9f6d4e-7f2c-4a25-9a8e-0d4f6f4c9a11" },
      wid: { S: "0123456789abcdefghijkl" },
      ts: { N: "1790000000000" },
      crc: { B: new Uint8Array(4) },
    };
  };
  const put = (id, version, payload) => ({
    TableName,
    Item: itemOf(id, version, payload),
    ConditionExpression: "attribute_not_exists(par)",
  });
  const mark = (id, version) => ({
    Update: {
      TableName,
      Key: { par: { S: `floor-SH-${id}-${Math.floor(version / 100) % 10}` }, num: { N: "0" } },
      UpdateExpression: "SET seq = :v",
      ExpressionAttributeValues: { ":v": { N: String(version - (version % 100)) } },
    },
  });
  return {
    append: (id, version, payload) =>
      version % 100 === 0
        ? port.transactWriteItems({ TransactItems: [{ Put: put(id, version, payload) }, mark(id, version)] })
        : port.putItem(put(id, version, payload)),
    appendGroup: (id, version, payloads) => {
      const last = version + payloads.length - 1;
      const crosses = last - (last % 100) >= version && last >= 100;
      return port.transactWriteItems({
        TransactItems: [
          ...payloads.map((payload, at) => ({ Put: put(id, version + at, payload) })),
          ...(crosses ? [mark(id, last)] : []),
        ],
      });
    },
    read: async (id) => {
      let count = 0;
      for (let bucket = 0; ; bucket++) {
        let start;
        let found = 0;
        do {
          const page = await port.query({
            TableName,
            KeyConditionExpression: "par = :par",
            ExpressionAttributeValues: { ":par": { S: `floor-P-${id}-${bucket}` } },
            ConsistentRead: true,
            ExclusiveStartKey: start,
          });
          for (const item of page.Items)
            codecs.decode({ serializerId: Number(item.ev_ser_id.N), manifest: "", bytes: item.event.B });
          found += page.Items.length;
          start = page.LastEvaluatedKey;
        } while (start !== undefined);
        count += found;
        if (found < 99) return count;
      }
    },
  };
}
