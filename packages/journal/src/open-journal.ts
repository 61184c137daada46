import { type DynamoPort, optionCheck } from "@tablekeep/core";
import { journalWriter } from "./append/journal-writer.ts";
import { recoverWriter } from "./append/recover.ts";
import { buildContext } from "./context/build-context.ts";
import { callChecks, checkSequenceNr, deleteChecks } from "./context/call-checks.ts";
import type { DeleteOptions, Journal } from "./context/journal.ts";
import { callOptions, checkId, type JournalContext, longCallOptions } from "./context/journal-context.ts";
import type { JournalOptions } from "./context/journal-options.ts";
import { rateBounded } from "./context/rate-bounded.ts";
import { deleteTo } from "./delete/delete-to.ts";
import { purge } from "./delete/purge.ts";
import { checkOptions } from "./errors/journal-error.ts";
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
 */
export async function openJournal(port: DynamoPort, options: JournalOptions = {}): Promise<Journal> {
  const { context: built, settings } = buildContext(port, options);
  logSettings(settings);
  const context = await checkSettings(built, settings);
  return {
    ...readerOf(context, settings),
    fencing: context.fencing,
    async recover(id, call = {}) {
      checkId(context, id);
      checkOptions(call, callChecks);
      return journalWriter(context, await recoverWriter(context, id, callOptions(context, call)));
    },
    async deleteTo(id, to, call = {}) {
      checkId(context, id);
      checkSequenceNr("toSequenceNr", to, optionCheck.upperBound);
      checkOptions(call, deleteChecks);
      await deleteTo(paced(context, call), id, to, longCallOptions(context, call));
    },
    async purge(id, call = {}) {
      checkId(context, id);
      checkOptions(call, deleteChecks);
      await purge(paced(context, call), id, longCallOptions(context, call));
    },
  };
}

/** The same journal, no faster than a deletion may be. */
function paced(context: JournalContext, options: DeleteOptions): JournalContext {
  return { ...context, port: rateBounded(context.port, options, context.clock) };
}
