import { type CallOptions, callChecks, type DynamoPort, optionCheck } from "@tablekeep/core";
import { appendById } from "./append/append-by-id.ts";
import { journalWriter } from "./append/journal-writer.ts";
import { foldEvents, loadId } from "./append/load.ts";
import { recoverWriter } from "./append/recover.ts";
import { backgroundCompaction } from "./compact/background-compaction.ts";
import { buildContext } from "./context/build-context.ts";
import {
  appendByIdChecks,
  checkSequenceNr,
  deleteChecks,
  loadChecks,
  purgeChecks,
} from "./context/call-checks.ts";
import type {
  DeleteOptions,
  FoldOptions,
  Journal,
  LoadedEvents,
  LoadedState,
  LoadOptions,
} from "./context/journal.ts";
import {
  type BackgroundCompaction,
  callOptions,
  checkId,
  type JournalContext,
  longCallOptions,
} from "./context/journal-context.ts";
import type { JournalOptions } from "./context/journal-options.ts";
import { remember } from "./context/opened.ts";
import { rateBounded } from "./context/rate-bounded.ts";
import { deleteTo } from "./delete/delete-to.ts";
import { purge } from "./delete/purge.ts";
import { checkOptions, optionInvalid } from "./errors/journal-error.ts";
import { readerOf } from "./open-journal-reader.ts";
import { checkSettings, logSettings } from "./settings/check-settings.ts";

/**
 * Opens a journal in a table that exists. Reads the journal's own record, and rejects settings that do not fit it.
 *
 * @example
 * const journal = await openJournal(port, { table: "events" });
 * const writer = await journal.recover("cart-1");
 * unwrap(await writer.append({ payload: { added: "apple" } }));
 * for await (const { sequenceNr, payload } of journal.replay("cart-1")) console.log(sequenceNr, payload);
 *
 * @example
 * const cartEvents = z.object({ added: z.string() });
 * const journal = await openJournal(port, { events: cartEvents }); // payloads are validated, and typed
 * const journal = await openJournal<{ added: string }>(port); // payloads are typed, and not validated
 */
export async function openJournal<Event = unknown>(
  port: DynamoPort,
  options: JournalOptions<Event> = {},
): Promise<Journal<Event>> {
  const { context: built, settings } = buildContext(port, options);
  const checked = await checkSettings(built, settings, options);
  const compaction = compactionOf(checked, options);
  const context = { ...checked, compaction };
  logSettings(settings, context);
  const recover = async (id: string, call: CallOptions) =>
    journalWriter(context, await recoverWriter(context, id, callOptions(context, call)));
  const append = appendById(context);
  const journal: Journal = {
    ...readerOf(context, settings),
    fencing: context.fencing,
    async recover(id, call = {}) {
      checkId(context, id);
      checkOptions(call, callChecks);
      return recover(id, call);
    },
    async append(id, events, options = {}) {
      checkId(context, id);
      checkOptions(options, appendByIdChecks);
      return append(id, events, options);
    },
    load: async <State>(id: string, options: LoadOptions | FoldOptions<State> = {}) => {
      checkId(context, id);
      const fold = checkLoad<State>(options);
      const loaded = await loadId(context, settings, id, options);
      // Which of the two is returned follows from the options, as the overloads of `load` say.
      return (fold === undefined ? loaded : foldEvents(loaded, fold)) as Promise<
        LoadedEvents & LoadedState<State>
      >;
    },
    async deleteTo(id, to, call = {}) {
      checkId(context, id);
      if (typeof to !== "function") checkSequenceNr("toSequenceNr", to, optionCheck.upperBound);
      checkOptions(call, deleteChecks);
      await deleteTo(paced(context, call), id, to, longCallOptions(context, call));
    },
    async purge(id, call = {}) {
      checkId(context, id);
      checkOptions(call, purgeChecks);
      await purge(paced(context, call), id, longCallOptions(context, call), call.beforeReset);
    },
    idle: async () => compaction?.idle(),
    close: async () => compaction?.close(),
    [Symbol.asyncDispose]: async () => compaction?.close(),
  };
  // The schema, if there is one, determines the type of the payloads.
  return remember(journal, { context, settings }) as Journal<Event>;
}

/** Merges small items in the background, if `compactAfter` is set. */
function compactionOf(
  context: JournalContext,
  { compactAfter }: Pick<JournalOptions, "compactAfter">,
): BackgroundCompaction | undefined {
  if (compactAfter === undefined) return undefined;
  if (context.layout.packed === undefined)
    throw optionInvalid(
      "compactAfter",
      `is for the packed layout, and this journal is ${context.layout.name}`,
    );
  return backgroundCompaction(context, compactAfter);
}

/** Returns the fold options, if there are any. */
function checkLoad<State>(options: LoadOptions | FoldOptions<State>): FoldOptions<State> | undefined {
  checkOptions(options, loadChecks);
  const { initial, evolve } = options as Partial<FoldOptions<State>>;
  if (initial === undefined && evolve === undefined) return undefined;
  if (initial === undefined) throw optionInvalid("initial", "is missing: evolve needs a state to begin with");
  if (evolve === undefined)
    throw optionInvalid("evolve", "is missing: initial is the state that it begins with");
  return { initial, evolve };
}

/** Returns the journal's context with the rate limits of a deletion. */
function paced(context: JournalContext, options: DeleteOptions): JournalContext {
  return { ...context, port: rateBounded(context.port, options, context.clock) };
}
