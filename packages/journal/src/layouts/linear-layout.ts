import type { AttributeValue, Key } from "@tablekeep/core";
import { describeRegistry, type Layout } from "./layout.ts";

/** The names of the key attributes of a linear table. */
export interface LinearNames {
  /** @default "pid" */
  readonly persistenceId: string;
  /** @default "seq" */
  readonly sequenceNr: string;
}

export interface LinearLayoutOptions {
  /** Begins all partition keys if it is not empty. */
  readonly journalName: string;
  readonly names: LinearNames;
}

/** Records of the journal itself have numbers that no event and no commit record ever has. */
const ownNumbersFrom = 2 ** 52;

/** The key of the record of a journal without a name, and the note that there are journals with one. */
const unnamed = "tablekeep-journal";

/**
 * The plainest layout: one partition per id and one row per event, so that one query replays an id. It needs no marks:
 * the last row has the highest sequence number. The writer item, with the low mark, the epoch and a stage, is at 0.
 * Commit records of staged batches are at negative numbers. In a journal without a name, the ids are the partition
 * keys, and any of them could be a key of a journal with a name: `a-P-b` is id `b` of journal `a`. So a journal without
 * a name cannot share its table.
 */
export function linearLayout({ journalName, names }: LinearLayoutOptions): Layout {
  const prefix = journalName === "" ? "" : `${journalName}-P-`;
  const own = journalName === "" ? unnamed : journalName;
  const key = (partition: string, number: number): Key => ({
    [names.persistenceId]: { S: partition },
    [names.sequenceNr]: { N: String(number) },
  });
  const head = (id: string) => key(prefix + id, 0);
  const unnamedRecord = key(`${unnamed}-M`, -ownNumbersFrom);
  const namedNote = key(`${unnamed}-M`, -ownNumbersFrom - 1);
  return {
    name: "linear",
    keyNames: [names.persistenceId, names.sequenceNr],
    markAttributes: { high: "low", low: "low" },
    eventKey: (id, sequenceNr) => key(prefix + id, sequenceNr),
    sequenceNrOf: (_id, item) => Number(item[names.sequenceNr]?.N),
    describe: (item) => {
      const partition = item[names.persistenceId]?.S ?? "";
      const sequenceNr = Number(item[names.sequenceNr]?.N);
      if (sequenceNr <= -ownNumbersFrom) {
        if (partition === `${unnamed}-M`) return { kind: "record" };
        return partition.startsWith(`${own}-R-`) ? describeRegistry(item) : { kind: "other" };
      }
      if (journalName !== "" && partition === `${own}-M` && sequenceNr === 0) return { kind: "record" };
      if (!partition.startsWith(prefix)) return { kind: "other" };
      const persistenceId = partition.slice(prefix.length);
      if (sequenceNr > 0) return { kind: "event", persistenceId, sequenceNr };
      if (sequenceNr < 0) return { kind: "commit", persistenceId, first: -sequenceNr };
      return sequenceNr === 0 ? { kind: "writer", persistenceId } : { kind: "other" };
    },
    writerKey: head,
    commitKey: (id, first) => key(prefix + id, -first),
    commitQuery: (id) => ({
      KeyConditionExpression: "#pid = :pid AND #seq BETWEEN :from AND :to",
      ExpressionAttributeNames: { "#pid": names.persistenceId, "#seq": names.sequenceNr },
      ExpressionAttributeValues: {
        ":pid": { S: prefix + id },
        ":from": number(1 - ownNumbersFrom),
        ":to": number(-1),
      },
    }),
    // For a journal with a name, the same key as in the bucketed layout: a table has only one of them.
    metadataKey: () => (journalName === "" ? unnamedRecord : key(`${own}-M`, 0)),
    exclusion: journalName === "" ? { theirs: namedNote } : { mine: namedNote, theirs: unnamedRecord },
    registryKey: (shard, place) => key(`${own}-R-${shard}`, -ownNumbersFrom - place),
    registryQuery: (shard) => ({
      KeyConditionExpression: "#pid = :pid AND #seq <= :own",
      ExpressionAttributeNames: { "#pid": names.persistenceId, "#seq": names.sequenceNr },
      ExpressionAttributeValues: { ":pid": { S: `${own}-R-${shard}` }, ":own": number(-ownNumbersFrom) },
    }),
    markKeys: (id) => ({ high: [], low: [head(id)] }),
    highMark: () => undefined,
    lowMark: (id, lowest) => ({ key: head(id), attribute: "low", value: lowest }),
    *spans(from, to) {
      if (from <= to) yield { from, to };
    },
    spanQuery: (id, { from, to }) => ({
      KeyConditionExpression: "#pid = :pid AND #seq BETWEEN :from AND :to",
      ExpressionAttributeNames: { "#pid": names.persistenceId, "#seq": names.sequenceNr },
      ExpressionAttributeValues: {
        ":pid": { S: prefix + id },
        // The head item and the commit records are not events.
        ":from": number(Math.max(1, from)),
        ":to": number(Math.max(1, to)),
      },
    }),
    endOfSpan: () => Number.MAX_SAFE_INTEGER,
  };
}

function number(value: number): AttributeValue {
  return { N: String(value) };
}
