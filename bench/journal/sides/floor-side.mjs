import { createHash } from "node:crypto";
import {
  bucketOf,
  bucketQuery,
  bucketSize,
  endOfBucket,
  eventOf,
  itemOf,
  keyOf,
  markKey,
  markKeys,
  writeId,
  writerKey,
} from "./floor-rows.mjs";

/** Actions that one transaction takes. */
const maxActions = 100;
/** Buckets that a replay reads at once, and items of one page. */
const parallel = 10;
const maxPage = 500;

/**
 * The requests that the journal makes, and nothing else: no conflicts judged, no deadlines, nothing checked. That they
 * are the same is compared before anything is measured.
 */
export async function floorSide(port, _journal, TableName) {
  const epochs = new Map();
  const put = (Item) => ({
    TableName,
    Item,
    ConditionExpression: "attribute_not_exists(#key)",
    ExpressionAttributeNames: { "#key": "par" },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  const mark = (id, first, last) => {
    const value = bucketOf(last) * 100;
    if (value < first || value === 0) return [];
    return [{ Update: raiseMark(TableName, markKey(id, last), value) }];
  };
  const beside = (id, first, last) => [
    ...mark(id, first, last),
    ...(first === 1 ? [{ Put: registryPut(TableName, id) }] : []),
  ];
  const appendStaged = async (id, first, items, extras) => {
    const last = first + items.length - 1;
    const epoch = epochs.get(id) ?? 0;
    epochs.set(id, epoch + 1);
    const { record, commit } = stageRequests(TableName, id, { first, last, epoch });
    await port.updateItem(record);
    const lowest = maxActions - extras.length - commit.length;
    const staged = items.slice(lowest).reverse();
    await Promise.all(staged.map((item) => port.putItem(put({ ...item, staged: { BOOL: true } }))));
    const rows = items.slice(0, lowest).map((item) => ({ Put: put({ ...item, staged: { BOOL: true } }) }));
    await port.transactWriteItems({ TransactItems: [...rows, ...commit, ...extras] });
  };
  return {
    append: (id, version, payload) => {
      const extras = beside(id, version, version);
      const row = put(itemOf(id, version, payload));
      if (extras.length === 0) return port.putItem(row);
      return port.transactWriteItems({ TransactItems: [{ Put: row }, ...extras] });
    },
    appendGroup: (id, version, payloads) => {
      const lastIndex = payloads.length - 1;
      const items = payloads.map((payload, index) =>
        itemOf(id, version + index, payload, { index, lastIndex }),
      );
      const extras = beside(id, version, version + lastIndex);
      if (items.length + extras.length > maxActions) return appendStaged(id, version, items, extras);
      const rows = items.map((item) => ({ Put: put(item) }));
      return port.transactWriteItems({ TransactItems: [...rows, ...extras] });
    },
    read: (id) => readAll(port, TableName, id),
  };
}

/** The first bucket along with the marks, then the last one, which contains the end, then those in between. */
async function readAll(port, TableName, id) {
  const pageOf = (from, to) => port.query({ ...bucketQuery(TableName, id, from, to), Limit: maxPage });
  const [{ Responses }, first] = await Promise.all([
    port.batchGetItem({ RequestItems: { [TableName]: { Keys: markKeys(id), ConsistentRead: true } } }),
    pageOf(1, endOfBucket(1)),
  ]);
  const high = Math.max(0, ...Responses[TableName].map(({ seq }) => Number(seq?.N ?? 0)));
  const last = high === 0 ? undefined : await pageOf(high, endOfBucket(high));
  const ahead = [first];
  let next = bucketSize;
  let count = 0;
  for (;;) {
    for (; ahead.length < parallel && next <= high; next += bucketSize)
      ahead.push(next === high ? last : pageOf(next, endOfBucket(next)));
    const page = await ahead.shift();
    if (page === undefined) return count;
    // A bucket of 1 KB events is one page; otherwise the comparison of requests would fail.
    for (const item of page.Items) if (eventOf(item).sequenceNr > 0) count++;
  }
}

function raiseMark(TableName, Key, value) {
  return {
    TableName,
    Key,
    UpdateExpression: "SET #mark = :value",
    ConditionExpression: "attribute_not_exists(#mark) OR #mark <= :value",
    ExpressionAttributeNames: { "#mark": "seq" },
    ExpressionAttributeValues: { ":value": { N: String(value) } },
  };
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

/** What records a batch that no transaction holds, and what commits it. */
function stageRequests(TableName, id, { first, last, epoch }) {
  const mine = epoch === 0 ? "(attribute_not_exists(epoch) OR epoch = :epoch)" : "epoch = :epoch";
  const values = { ":epoch": { N: String(epoch) } };
  const stage = { M: { wid: { S: writeId }, first: { N: String(first) }, last: { N: String(last) } } };
  const record = {
    TableName,
    Key: writerKey(id),
    UpdateExpression: "SET epoch = :epoch, stage = :stage",
    ConditionExpression: `${mine} AND attribute_not_exists(stage)`,
    ExpressionAttributeValues: { ...values, ":stage": stage },
  };
  const Put = {
    TableName,
    Item: { ...keyOf(`C-${id}`, first), wid: { S: writeId }, last: { N: String(last) } },
  };
  const Update = {
    TableName,
    Key: writerKey(id),
    UpdateExpression: "SET epoch = :next REMOVE stage",
    ConditionExpression: `${mine} AND stage.wid = :wid`,
    ExpressionAttributeValues: { ...values, ":wid": { S: writeId }, ":next": { N: String(epoch + 1) } },
  };
  return { record, commit: [{ Put }, { Update }] };
}
