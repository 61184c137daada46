import { type CallOptions, callChecks, type DynamoPort } from "@tablekeep/core";
import { buildContext } from "./context/build-context.ts";
import { persistenceIdsChecks, replayChecks } from "./context/call-checks.ts";
import type { Journal } from "./context/journal.ts";
import { callOptions, checkId, type JournalContext, longCallOptions } from "./context/journal-context.ts";
import type { JournalOptions, ResolvedJournalOptions } from "./context/journal-options.ts";
import { remember } from "./context/opened.ts";
import { checkOptions } from "./errors/journal-error.ts";
import { settledPosition } from "./protocol/position.ts";
import { listAll } from "./queries/list-all.ts";
import { eventsById, persistenceIds } from "./queries/live.ts";
import { currentPersistenceIds } from "./queries/persistence-ids.ts";
import { replay } from "./replay/replay.ts";
import { checkSettingsToRead, logSettings } from "./settings/check-settings.ts";

/** The part of a journal that only reads. */
export type JournalReader<Event = unknown> = Omit<
  Journal<Event>,
  | "fencing"
  | "recover"
  | "load"
  | "append"
  | "deleteTo"
  | "purge"
  | "idle"
  | "close"
  | typeof Symbol.asyncDispose
>;

/**
 * Opens a journal to read it: nothing is written, not even the journal's own record. For tools, for queries, and for
 * tables of other programs that must not change. Settings that do not fit the record, if there is one, are rejected.
 *
 * @example
 * const reader = await openJournalReader(port, { table: "events" });
 * for await (const { sequenceNr, payload } of reader.replay("cart-1")) console.log(sequenceNr, payload);
 */
export async function openJournalReader<Event = unknown>(
  port: DynamoPort,
  options: JournalOptions<Event> = {},
): Promise<JournalReader<Event>> {
  const { context: built, settings } = buildContext(port, options);
  const context = await checkSettingsToRead(built, settings, options);
  logSettings(settings, context);
  // The schema, if there is one, determines the type of the payloads.
  return remember(readerOf(context, settings), { context, settings }) as JournalReader<Event>;
}

/**
 * Returns the reading part of an open journal. Iterables reject invalid input when they are created, before the first
 * event is requested.
 */
export function readerOf(context: JournalContext, settings: ResolvedJournalOptions): JournalReader {
  const checkRead = (id: string, call: CallOptions) => {
    checkId(context, id);
    checkOptions(call, callChecks);
  };
  const replayed: JournalReader["replay"] = (id, options = {}) => {
    checkId(context, id);
    checkOptions(options, replayChecks);
    return replay(context, settings, id, options);
  };
  return {
    layout: context.layout.name,
    replay: replayed,
    async highestSequenceNr(id, call = {}) {
      checkRead(id, call);
      return (await settledPosition(context, id, callOptions(context, call))).highest;
    },
    async lowestSequenceNr(id, call = {}) {
      checkRead(id, call);
      return (await settledPosition(context, id, callOptions(context, call))).lowest;
    },
    async listAll(id, call = {}) {
      checkRead(id, call);
      return listAll(context, id, longCallOptions(context, call));
    },
    currentPersistenceIds(query = {}) {
      checkOptions(query, persistenceIdsChecks);
      return currentPersistenceIds(context, query);
    },
    persistenceIds(query = {}) {
      checkOptions(query, persistenceIdsChecks);
      return persistenceIds(context, query);
    },
    eventsById(id, query = {}) {
      checkId(context, id);
      checkOptions(query, replayChecks);
      return eventsById(context, settings, id, query);
    },
  };
}
