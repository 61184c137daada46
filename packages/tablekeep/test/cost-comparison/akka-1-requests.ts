import type { Item } from "@tablekeep/core";
import type { Operation } from "./operations.ts";
import { type Change, putChange, type Scenario, type SentRequest, type TableShape } from "./request-cost.ts";

/** Akka Persistence DynamoDB 1.3.0, with the defaults of its configuration: its items, and its requests in their order. */

const journal: TableShape = {
  name: "akka-persistence",
  keys: [
    ["par", "S"],
    ["num", "N"],
  ],
};
const snapshots: TableShape = {
  name: "akka-persistence-snapshot",
  keys: [
    ["par", "S"],
    ["seq", "N"],
  ],
  index: { name: "ts-idx", kind: "local", keys: ["par", "ts"], rangeType: "N" },
};
const id = "account-1";
const bucketSize = 100;
const shards = 10;
const batchItems = 25;

const keyOf = (par: string, num: number): Item => ({ par: { S: par }, num: { N: String(num) } });
const bucketOf = (seq: number) => Math.floor(seq / bucketSize);
const eventKey = (seq: number) => keyOf(`journal-P-${id}-${bucketOf(seq)}`, seq % bucketSize);
const markKey = (kind: "SH" | "SL", shard: number) => keyOf(`journal-${kind}-${id}-${shard}`, 0);

/** An event of a write of `count` events that begins at `first`. */
function event(seq: number, bytes: number, first = seq, count = 1): Item {
  return {
    ...eventKey(seq),
    persistence_id: { S: id },
    seq: { N: String(seq) },
    event: { B: new Uint8Array(bytes) },
    writer_uuid: { S: "295fa116-fa95-4f5b-af96-80d9861a898d" },
    ev_ser_id: { N: "33" },
    ev_ser_manifest: { S: "bank.Deposited" },
    ...(count > 1 && { idx: { N: String(seq - first) }, cnt: { N: String(count - 1) } }),
  };
}

const singles = (first: number, last: number, bytes: number) =>
  Array.from({ length: last - first + 1 }, (_unused, at) => event(first + at, bytes));

function mark(kind: "SH" | "SL", seq: number): Item {
  return {
    ...markKey(kind, bucketOf(seq) % shards),
    seq: { N: String(kind === "SH" ? seq - (seq % bucketSize) : seq) },
  };
}

function snapshot(seq: number, bytes: number): Item {
  return {
    par: { S: `journal-P-${id}` },
    seq: { N: String(seq) },
    ts: { N: "1700000000000" },
    pay_data: { B: new Uint8Array(bytes) },
    ser_id: { N: "33" },
    ser_manifest: { S: "bank.Account" },
  };
}

function inBatches(changes: readonly Change[]): SentRequest[] {
  const batches: SentRequest[] = [];
  for (let at = 0; at < changes.length; at += batchItems)
    batches.push({ operation: "BatchWriteItem", changes: changes.slice(at, at + batchItems) });
  return batches;
}

/** An atomic write: batches, with a high mark if it reaches another bucket. Readers leave out what is not whole. */
function write(first: number, count: number, bytes: number): SentRequest[] {
  const events = Array.from({ length: count }, (_unused, at) => event(first + at, bytes, first, count));
  const last = first + count - 1;
  const marks = bucketOf(first - 1) === bucketOf(last) ? [] : [mark("SH", last)];
  return inBatches([...events, ...marks].map((item) => putChange(journal, item)));
}

function readMarks(kind: "SH" | "SL", found: readonly Item[]): SentRequest {
  const keys = Array.from({ length: shards }, (_unused, shard) => markKey(kind, shard));
  return { operation: "BatchGetItem", table: journal, keys, found };
}

function queryBucket(bucket: number, items: readonly Item[], from?: number): SentRequest {
  const onlyHighest = from === undefined;
  return {
    operation: "Query",
    table: journal,
    input: {
      KeyConditionExpression: `par = :par AND num BETWEEN :from AND :to`,
      ExpressionAttributeValues: {
        ":par": { S: `journal-P-${id}-${bucket}` },
        ":from": { N: String(from ?? 0) },
        ":to": { N: String(bucketSize - 1) },
      },
      ...(onlyHighest && { ProjectionExpression: "num" }),
    },
    items,
  };
}

function querySnapshot(items: readonly Item[]): SentRequest {
  return {
    operation: "Query",
    table: snapshots,
    input: {
      IndexName: "ts-idx",
      KeyConditionExpression: "par = :par AND ts BETWEEN :from AND :to",
      ExpressionAttributeValues: {
        ":par": { S: `journal-P-${id}` },
        ":from": { N: "0" },
        ":to": { N: "9223372036854775807" },
      },
      ScanIndexForward: false,
      Limit: 1,
    },
    items,
  };
}

/** Reads the snapshot, the high marks, the last bucket for the highest number, the low marks, and that bucket again from `from` on. */
function recover(stored: readonly Item[], from: number, state: readonly Item[] = []): SentRequest[] {
  const replayed = stored.filter(({ seq }) => Number(seq?.N) >= from);
  return [
    querySnapshot(state),
    readMarks("SH", []),
    queryBucket(0, stored),
    readMarks("SL", []),
    ...(replayed.length === 0 ? [] : [queryBucket(0, replayed, from)]),
  ];
}

/** Deletes 120 of 180 events: raises the low mark, then deletes every number from 0. */
function deletePrefix(stored: readonly Item[]): SentRequest[] {
  const last = 120;
  const deleted = Array.from({ length: last + 1 }, (_unused, seq) => ({
    table: journal,
    key: eventKey(seq),
    ...(seq > 0 && { before: stored[seq - 1] }),
  }));
  return [
    readMarks("SH", [mark("SH", 100)]),
    queryBucket(1, stored.slice(99)),
    readMarks("SL", []),
    { operation: "PutItem", changes: [putChange(journal, mark("SL", last + 1))] },
    ...inBatches(deleted),
  ];
}

const singlePut = (table: TableShape, item: Item): SentRequest[] => [
  { operation: "PutItem", changes: [putChange(table, item)] },
];
const inTable = (table: TableShape, items: readonly Item[]) => items.map((item) => [table, item] as const);

const fifty = singles(1, 50, 1000);
const inTens = fifty.map((_unused, at) => event(at + 1, 1000, at - (at % 10) + 1, 10));
const sixty = singles(1, 60, 1000);
const many = singles(1, 180, 100);
const state = snapshot(50, 1000);

/** The tables of Akka 1.3. */
export const akka1Tables: readonly TableShape[] = [journal, snapshots];

/** What Akka 1.3 sends for every operation of the comparison. */
export const akka1Requests: Readonly<Record<Operation, Scenario>> = {
  "open a fresh id": { stored: [], requests: recover([], 1) },
  "append the first event": { stored: [], requests: singlePut(journal, event(1, 100)) },
  "append one event of 100 B": { stored: [], requests: singlePut(journal, event(2, 100)) },
  "append 10 × 100 B atomically": { stored: [], requests: write(3, 10, 100) },
  "append 100 × 1 KB atomically": { stored: [], requests: write(13, 100, 1000) },
  "append 250 × 1 KB atomically": { stored: [], requests: write(113, 250, 1000) },
  "load 50 × 1 KB, written one at a time": { stored: inTable(journal, fifty), requests: recover(fifty, 1) },
  "load 50 × 1 KB, written in tens": { stored: inTable(journal, inTens), requests: recover(inTens, 1) },
  "load a snapshot of 1 KB and 10 × 1 KB after it": {
    stored: [...inTable(journal, sixty), [snapshots, state]],
    requests: recover(sixty, 51, [state]),
  },
  "save a snapshot of 1 KB": { stored: [], requests: singlePut(snapshots, state) },
  "delete 120 of 180 events": {
    stored: inTable(journal, [...many, mark("SH", 100)]),
    requests: deletePrefix(many),
  },
};

/** The sizes that the costs follow from. */
export const akka1Items = { small: event(2, 100), large: event(2, 1000), state };
