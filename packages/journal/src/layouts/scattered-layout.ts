import type { Key } from "@tablekeep/core";
import { describeNamed, type Layout } from "./layout.ts";

/** The number of rows that one request reads by key. */
const readAtOnce = 100;

export interface ScatteredLayoutOptions {
  readonly journalName: string;
  /** The number of items over which the high and low marks of one id are spread. */
  readonly sequenceShards: number;
}

/**
 * The layout of the Akka plugin 0.x: every event has its own partition, so that no partition becomes hot and nothing
 * can be queried. Every append writes a high mark, because nothing else shows where an id ends. The low mark is in the
 * writer item: the original writes an `SL` item for every single message that it deletes softly, so the highest one
 * says nothing about the messages below it.
 */
export function scatteredLayout({ journalName, sequenceShards }: ScatteredLayoutOptions): Layout {
  const prefix = journalName === "" ? "" : `${journalName}-`;
  const key = (rest: string): Key => ({ key: { S: prefix + rest } });
  const shards = Array.from({ length: sequenceShards }, (_unused, shard) => shard);
  return {
    name: "scattered",
    keyNames: ["key"],
    markAttributes: { high: "sequenceNr", low: "low" },
    eventKey: (id, sequenceNr) => key(`P-${id}-${sequenceNr}`),
    sequenceNrOf: (id, item) =>
      Number((item["key"]?.S ?? "").slice(prefix.length + "P-".length + id.length + "-".length)),
    describe: (item) => {
      const text = item["key"]?.S ?? "";
      const end = text.lastIndexOf("-");
      const sequenceNr = text.slice(end + 1);
      const start = `${prefix}P-`;
      if (!text.startsWith(start) || end < start.length || !/^\d+$/.test(sequenceNr))
        return describeNamed(text, prefix, item);
      return { kind: "event", persistenceId: text.slice(start.length, end), sequenceNr: Number(sequenceNr) };
    },
    writerKey: (id) => key(`W-${id}`),
    commitKey: (id, first) => key(`C-${id}-${first}`),
    metadataKey: () => key("M"),
    markKeys: (id) => ({
      high: shards.map((shard) => key(`SH-${id}-${shard}`)),
      low: [key(`W-${id}`)],
      unused: shards.map((shard) => key(`SL-${id}-${shard}`)),
    }),
    highMark(id, known, last) {
      if (last <= known) return undefined;
      return { key: key(`SH-${id}-${last % sequenceShards}`), attribute: "sequenceNr", value: last };
    },
    lowMark: (id, lowest) => ({ key: key(`W-${id}`), attribute: "low", value: lowest }),
    *spans(from, to) {
      for (let at = from; at <= to; at += readAtOnce)
        yield { from: at, to: Math.min(to, at + readAtOnce - 1) };
    },
    spanQuery: () => undefined,
    // Rows above the high mark are read in case a mark was lost, as far as one request reaches.
    endOfSpan: (sequenceNr) => Math.min(sequenceNr + readAtOnce - 1, Number.MAX_SAFE_INTEGER),
  };
}
