import type { DynamoPort } from "@tablekeep/core";
import { journalWriter } from "./append/journal-writer.ts";
import { recoverWriter } from "./append/recover.ts";
import { writesUnderWay } from "./append/writes-under-way.ts";
import { createCodecs } from "./codecs/create-codecs.ts";
import { deleteTo } from "./delete/delete-to.ts";
import { purge } from "./delete/purge.ts";
import type { Journal } from "./journal.ts";
import { callOptions, type JournalContext, longCallOptions } from "./journal-context.ts";
import { type JournalOptions, resolveJournalOptions } from "./journal-options.ts";
import { layoutOf } from "./layouts/layout-of.ts";
import { checkSettings } from "./metadata/check-settings.ts";
import { listAll } from "./position/list-all.ts";
import { settledPosition } from "./position/settled-position.ts";
import { eventsById, persistenceIds } from "./queries/live.ts";
import { currentPersistenceIds } from "./queries/persistence-ids.ts";
import { replay } from "./replay/replay.ts";

/** Over how many items the registry of ids is spread. A constant of the format. */
const registryShards = 64;

/**
 * Opens a journal in a table that exists. Reads the journal's own record, and refuses settings that do not fit it.
 *
 * @example
 * const journal = await openJournal(port, { table: "events" });
 * const writer = await journal.recover("cart-1");
 * await writer.append([{ payload: { added: "apple" } }]);
 * for await (const { sequenceNr, payload } of journal.replay("cart-1")) console.log(sequenceNr, payload);
 */
export async function openJournal(port: DynamoPort, options: JournalOptions = {}): Promise<Journal> {
  const settings = resolveJournalOptions(options);
  const { maxItemSize, ...rest } = settings;
  const context: JournalContext = {
    ...rest,
    port,
    layout: layoutOf(settings),
    codecs: options.codecs ?? createCodecs(),
    maxItemBytes: maxItemSize,
    registryShards,
    writesUnderWay: writesUnderWay(settings.clock),
  };
  await checkSettings(context, settings);
  return {
    async recover(id, call) {
      return journalWriter(context, await recoverWriter(context, id, callOptions(context, call)));
    },
    replay: (id, replayOptions = {}) => replay(context, settings, id, replayOptions),
    async highestSequenceNr(id, call) {
      return (await settledPosition(context, id, callOptions(context, call))).highest;
    },
    async lowestSequenceNr(id, call) {
      return (await settledPosition(context, id, callOptions(context, call))).lowest;
    },
    deleteTo: (id, to, call) => deleteTo(context, id, to, longCallOptions(context, call)),
    purge: (id, call) => purge(context, id, longCallOptions(context, call)),
    listAll: (id, call) => listAll(context, id, longCallOptions(context, call)),
    currentPersistenceIds: (query = {}) => currentPersistenceIds(context, query),
    persistenceIds: (query = {}) => persistenceIds(context, query),
    currentEventsById: (id, query = {}) => replay(context, settings, id, query),
    eventsById: (id, query = {}) => eventsById(context, settings, id, query),
  };
}
