import type { Item, Key } from "@tablekeep/core";
import { describeNamed, type Layout, type SpanQuery } from "./layout.ts";

export interface PackedLayoutOptions {
  readonly journalName: string;
}

/** The number of the writer item: above that of every event and snapshot, so that it is read along with the newest. */
const writerNumber = "9007199254740992";

/**
 * One partition per id, and all events of a write in one item, at the sequence number of the first. The newest item has
 * the highest sequence number, so there are no marks. The writer item, with the low mark, the epoch and a stage, is at
 * 2^53. Commit records of staged writes are at negative numbers. A snapshot of the state after event 7 is at 7.5, right
 * after the events that it covers.
 */
export function packedLayout({ journalName }: PackedLayoutOptions): Layout {
  const prefix = `${journalName}-P-`;
  const key = (partition: string, number: number | string): Key => ({
    par: { S: partition },
    num: { N: String(number) },
  });
  const query = (partition: string, from: number, to: number | string): SpanQuery => ({
    KeyConditionExpression: "#par = :par AND #num BETWEEN :from AND :to",
    ExpressionAttributeNames: { "#par": "par", "#num": "num" },
    ExpressionAttributeValues: {
      ":par": { S: partition },
      ":from": { N: String(from) },
      ":to": { N: String(to) },
    },
  });
  const writerKey = (id: string) => key(prefix + id, writerNumber);
  return {
    name: "packed",
    keyNames: ["par", "num"],
    markAttributes: { high: "low", low: "low" },
    eventKey: (id, sequenceNr) => key(prefix + id, sequenceNr),
    sequenceNrOf: (_id, item) => Number(item["num"]?.N),
    describe: (item) => {
      const partition = item["par"]?.S ?? "";
      const number = item["num"]?.N ?? "";
      if (!partition.startsWith(prefix)) return describeNamed(partition, `${journalName}-`, item);
      const persistenceId = partition.slice(prefix.length);
      if (number === writerNumber) return { kind: "writer", persistenceId };
      if (number.includes(".")) return { kind: "snapshot", persistenceId };
      const sequenceNr = Number(number);
      if (sequenceNr > 0) return { kind: "event", persistenceId, sequenceNr };
      return sequenceNr < 0 ? { kind: "commit", persistenceId, first: -sequenceNr } : { kind: "other" };
    },
    writerKey,
    commitKey: (id, first) => key(prefix + id, -first),
    commitQuery: (id) => query(prefix + id, -Number.MAX_SAFE_INTEGER, -1),
    // The same key as in the bucketed layout: a table has only one of them.
    metadataKey: () => key(`${journalName}-M`, 0),
    registryKey: (shard, place) => key(`${journalName}-R-${shard}`, place),
    registryQuery: (shard) => ({
      KeyConditionExpression: "#par = :par",
      ExpressionAttributeNames: { "#par": "par" },
      ExpressionAttributeValues: { ":par": { S: `${journalName}-R-${shard}` } },
    }),
    markKeys: (id) => ({ high: [], low: [writerKey(id)] }),
    highMark: () => undefined,
    lowMark: (id, lowest) => ({ key: writerKey(id), attribute: "low", value: lowest }),
    *spans(from, to) {
      if (from <= to) yield { from, to };
    },
    // Below number 1 are the commit records.
    spanQuery: (id, { from, to }) => query(prefix + id, Math.max(1, from), Math.max(1, to)),
    endOfSpan: () => Number.MAX_SAFE_INTEGER,
    packed: {
      wholeQuery: (id, from) => query(prefix + id, Math.max(0, from), writerNumber),
      snapshotKey: (id, sequenceNr) => key(prefix + id, `${sequenceNr}.5`),
      roleOf,
    },
  };
}

function roleOf(item: Item): "event" | "snapshot" | "writer" {
  const number = item["num"]?.N ?? "";
  if (number === writerNumber) return "writer";
  // Parsed as text: JavaScript cannot represent a half above 2^52.
  return number.includes(".") ? "snapshot" : "event";
}
