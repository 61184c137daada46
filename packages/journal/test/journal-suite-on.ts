import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { faultyPort } from "@tablekeep/testkit";
import { buildContext } from "../src/context/build-context.ts";
import { type JournalOptions, journalTableSpec, openJournal } from "../src/index.ts";
import { writeRow } from "../src/protocol/row-item.ts";
import { type JournalSuite, journalSuite, type OriginalRow } from "../src/testing/index.ts";

/** The journals that the suite runs on; the last are settings that change what is written or how it is read. */
export const suiteJournals: readonly (readonly [name: string, options: JournalOptions])[] = [
  ["packed", { layout: "packed" }],
  ["packed, strict", { layout: "packed", fencing: "strict" }],
  ["packed, small items", { layout: "packed", maxItemSize: 3200 }],
  ["bucketed", { layout: "bucketed" }],
  ["bucketed, strict", { layout: "bucketed", fencing: "strict" }],
  ["bucketed, the older item format, one shard", { layout: "bucketed", format: "pay", sequenceShards: 1 }],
  ["linear", { layout: "linear" }],
  ["linear, strict", { layout: "linear", fencing: "strict", journalName: "linear" }],
  ["scattered", { layout: "scattered", sequenceShards: 3 }],
];

/** The suite for a journal on a port, in a table of this name. */
export function suiteOn(
  open: () => Promise<DynamoPort>,
  options: JournalOptions,
  table: string,
): JournalSuite {
  // The shortest waits: their purpose is tested with a fake clock.
  const given = { ...options, table, random: () => 0.02 };
  let port: DynamoPort | undefined;
  const opened = async () => {
    if (port === undefined) {
      port = await open();
      await ensureTable(port, journalTableSpec(given));
    }
    return port;
  };
  const suite = journalSuite({
    open: async () => openJournal(await opened(), given),
    openWithFaults: async (schedule) => openJournal(faultyPort(await opened(), schedule), given),
    rows: {
      remove: async (id, number) => {
        const { context } = buildContext(await opened(), given);
        await context.port.deleteItem({ TableName: table, Key: context.layout.eventKey(id, number) });
      },
      putOriginal: async (row) => putOriginal(await opened(), given, row),
    },
    // With one shard only the highest of the marks is left.
    abilities: {
      marks: options.layout === "bucketed" && options.sequenceShards !== 1,
      originals: options.layout !== "packed",
      // Its limit is another's.
      sizeLimit: options.maxItemSize === undefined,
    },
  });
  return {
    ...suite,
    teardown: async () => {
      await suite.teardown();
      await port?.close();
    },
  };
}

async function putOriginal(port: DynamoPort, options: JournalOptions & { table: string }, row: OriginalRow) {
  const { context } = buildContext(port, options);
  const { persistenceId, sequenceNr, text, writerUuid, index, lastIndex } = row;
  const Item = writeRow(context, {
    kind: "event",
    persistenceId,
    sequenceNr,
    payload: await context.codecs.encode(text),
    manifest: "",
    writerUuid,
    tags: [],
    staged: false,
    ...(index !== undefined && lastIndex !== undefined && { batch: { index, lastIndex } }),
  });
  await port.putItem({ TableName: options.table, Item });
}
