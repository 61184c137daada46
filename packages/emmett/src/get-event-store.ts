import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { type Journal, type JournalConnection, journalSource } from "@tablekeep/journal";
import { appendToStream } from "./append-to-stream.ts";
import { checkOptions, optionInvalid } from "./emmett-store-error.ts";
import type { TablekeepEventStore, TablekeepEventStoreOptions } from "./event-store.ts";
import { aggregateStream, readStream } from "./read-stream.ts";

type Hooks = NonNullable<TablekeepEventStoreOptions["hooks"]>;

const hookChecks: OptionChecks<Hooks> = { onAfterCommit: optionCheck.callback };

/**
 * Returns emmett's event store on a journal, or on a port with the options of `openJournal`. The table must exist. Closing
 * the port is up to its owner.
 *
 * @example
 * const eventStore = getTablekeepEventStore(await openJournal(port, { table: "events" }));
 *
 * @example
 * const eventStore = getTablekeepEventStore({ port, table: "events" }, { hooks: { onAfterCommit } });
 */
export function getTablekeepEventStore(
  source: Journal | JournalConnection,
  options: TablekeepEventStoreOptions = {},
): TablekeepEventStore {
  checkOptions<TablekeepEventStoreOptions>(options, { hooks: optionCheck.anything });
  const { hooks = {} } = options;
  checkOptions(hooks, hookChecks, "hooks");
  const open = journalSource(source, optionInvalid);
  return {
    aggregateStream: async (streamName, aggregate) => aggregateStream(await open(), streamName, aggregate),
    readStream: async (streamName, read) => readStream(await open(), streamName, read),
    appendToStream: async (streamName, events, append) =>
      appendToStream(await open(), hooks, streamName, events, append),
    streamExists: async (streamName) => (await (await open()).highestSequenceNr(streamName)) > 0,
  };
}
