import type { Key } from "@tablekeep/core";
import { describeNamed, type Layout, type RowSpan } from "./layout.ts";

/** Sequence numbers per bucket. A constant of the original: if it changed, no existing event would be found. */
const bucketSize = 100;

export interface BucketedLayoutOptions {
  readonly journalName: string;
  /** The number of items over which the high and low marks of one id are spread. */
  readonly sequenceShards: number;
}

/**
 * The layout of the Akka plugin 1.x: 100 sequence numbers per partition, so that a hot id is spread over many
 * partitions and a long one is read in parallel. Marks for the highest and lowest sequence numbers are spread over
 * shards.
 */
export function bucketedLayout({ journalName, sequenceShards }: BucketedLayoutOptions): Layout {
  const key = (partition: string, number: number): Key => ({
    par: { S: `${journalName}-${partition}` },
    num: { N: String(number) },
  });
  const shardOf = (sequenceNr: number) => bucketOf(sequenceNr) % sequenceShards;
  const shards = Array.from({ length: sequenceShards }, (_unused, shard) => shard);
  return {
    name: "bucketed",
    keyNames: ["par", "num"],
    markAttributes: { high: "seq", low: "seq" },
    eventKey: (id, sequenceNr) => key(`P-${id}-${bucketOf(sequenceNr)}`, sequenceNr % bucketSize),
    sequenceNrOf: (id, item) => {
      // Every row that is read comes through here.
      const bucket = (item["par"]?.S ?? "").slice(journalName.length + "-P-".length + id.length + "-".length);
      return Number(bucket) * bucketSize + Number(item["num"]?.N);
    },
    describe: (item) => {
      const partition = item["par"]?.S ?? "";
      const number = Number(item["num"]?.N);
      const prefix = `${journalName}-P-`;
      const end = partition.lastIndexOf("-");
      const bucket = partition.slice(end + 1);
      if (!partition.startsWith(prefix) || end < prefix.length || !/^\d+$/.test(bucket))
        return describeNamed(partition, `${journalName}-`, item, number);
      const persistenceId = partition.slice(prefix.length, end);
      return { kind: "event", persistenceId, sequenceNr: Number(bucket) * bucketSize + number };
    },
    writerKey: (id) => key(`W-${id}`, 0),
    commitKey: (id, first) => key(`C-${id}`, first),
    commitQuery: (id) => ({
      KeyConditionExpression: "#par = :par",
      ExpressionAttributeNames: { "#par": "par" },
      ExpressionAttributeValues: { ":par": { S: `${journalName}-C-${id}` } },
    }),
    metadataKey: () => key("M", 0),
    registryKey: (shard, place) => key(`R-${shard}`, place),
    registryQuery: (shard) => ({
      KeyConditionExpression: "#par = :par",
      ExpressionAttributeNames: { "#par": "par" },
      ExpressionAttributeValues: { ":par": { S: `${journalName}-R-${shard}` } },
    }),
    markKeys: (id) => ({
      high: shards.map((shard) => key(`SH-${id}-${shard}`, 0)),
      low: shards.map((shard) => key(`SL-${id}-${shard}`, 0)),
    }),
    highMark(id, known, last) {
      const value = bucketOf(last) * bucketSize;
      // The original reads only the bucket that its mark names, so an append to a later one always raises the mark.
      if (value <= known) return undefined;
      return { key: key(`SH-${id}-${shardOf(last)}`, 0), attribute: "seq", value };
    },
    lowMark: (id, lowest) => ({
      key: key(`SL-${id}-${shardOf(lowest)}`, 0),
      attribute: "seq",
      value: lowest,
    }),
    *spans(from, to) {
      for (let at = from; at <= to; ) {
        const end = Math.min(to, endOfBucket(at));
        yield { from: at, to: end };
        at = end + 1;
      }
    },
    spanQuery: (id, span) => bucketQuery(`${journalName}-P-${id}-${bucketOf(span.from)}`, span),
    endOfSpan: endOfBucket,
  };
}

function bucketQuery(partition: string, { from, to }: RowSpan): ReturnType<Layout["spanQuery"]> {
  return {
    KeyConditionExpression: "#par = :par AND #num BETWEEN :from AND :to",
    ExpressionAttributeNames: { "#par": "par", "#num": "num" },
    ExpressionAttributeValues: {
      ":par": { S: partition },
      ":from": { N: String(from % bucketSize) },
      ":to": { N: String(to % bucketSize) },
    },
  };
}

function bucketOf(sequenceNr: number): number {
  return Math.floor(sequenceNr / bucketSize);
}

function endOfBucket(sequenceNr: number): number {
  return Math.min((bucketOf(sequenceNr) + 1) * bucketSize - 1, Number.MAX_SAFE_INTEGER);
}
