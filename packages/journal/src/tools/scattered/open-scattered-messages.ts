import {
  type CallOptions,
  callChecks,
  type DynamoPort,
  type OptionCheck,
  optionCheck,
} from "@tablekeep/core";
import { buildContext } from "../../context/build-context.ts";
import { checkSequenceNr, replayChecks } from "../../context/call-checks.ts";
import type { ReplayOptions } from "../../context/journal.ts";
import {
  callOptions,
  checkId,
  type JournalContext,
  longCallOptions,
  requestOptions,
} from "../../context/journal-context.ts";
import type { JournalOptions } from "../../context/journal-options.ts";
import { deleteTo } from "../../delete/delete-to.ts";
import { checkOptions, optionInvalid } from "../../errors/journal-error.ts";
import { settledPosition } from "../../protocol/position.ts";
import { eventReader } from "../../replay/replay.ts";
import type { ReplaySettings } from "../../replay/replay-limit.ts";
import { checkSettings } from "../../settings/check-settings.ts";
import { liveWrites } from "../copy/live-writes.ts";
import { isPlaceholder } from "../copy/placeholder.ts";
import { confirmMessage, deletePermanently, deleteSoftly, deleteSoftlyTo } from "./change-message.ts";
import type { ScatteredMessage, ScatteredMessages } from "./scattered-messages.ts";

/** The messages of an id, deleted ones too: of one that was deleted permanently its number is left. */
async function* readMessages(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncGenerator<ScatteredMessage, void, undefined> {
  const call = requestOptions(context, options);
  const { highest, low } = await settledPosition(context, persistenceId, call);
  const from = Math.max(options.from === -1 ? highest : (options.from ?? 1), low, 1);
  const range = { from, to: Math.min(options.to ?? highest, highest), low };
  let left = options.max ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  const read = eventReader(context, options);
  for await (const write of liveWrites(context, persistenceId, range, {
    ...call,
    filter: settings.replayFilter,
  })) {
    if (write.length > left) return;
    left -= write.length;
    for (const row of write) {
      if (isPlaceholder(row)) continue;
      const { deleted = false, confirmations = [], sender = "" } = row;
      yield { ...(await read(row)), deleted, confirmations, sender };
    }
    if (left <= 0) return;
  }
}

/**
 * Opens what only journals in the scattered layout have, beside {@link openJournal} with the same options: confirmations
 * by channel, and soft or permanent deletion of one message or of all up to a number.
 *
 * @example
 * const messages = await openScatteredMessages(port, { table: "journal-0.3" });
 * await messages.confirm("orders", 7, "billing");
 * await messages.deleteMessage("orders", 8);
 */
export async function openScatteredMessages(
  port: DynamoPort,
  options: JournalOptions = {},
): Promise<ScatteredMessages> {
  if ((options.layout ?? "scattered") !== "scattered")
    throw optionInvalid("layout", "must be scattered: others have neither confirmations nor soft deletions");
  const { context: built, settings } = buildContext(port, { ...options, layout: "scattered" });
  const context = await checkSettings(built, settings, { layout: settings.layout });
  const check = (id: string, sequenceNr: number, call: CallOptions, bound?: OptionCheck) => {
    checkId(context, id);
    checkSequenceNr("sequenceNr", sequenceNr, bound);
    checkOptions(call, callChecks);
  };
  return {
    async confirm(id, sequenceNr, channel, call = {}) {
      check(id, sequenceNr, call);
      return confirmMessage(context, id, sequenceNr, channel, callOptions(context, call));
    },
    async deleteMessage(id, sequenceNr, { permanent = false, ...call } = {}) {
      check(id, sequenceNr, call);
      const change = permanent ? deletePermanently : deleteSoftly;
      return change(context, id, sequenceNr, callOptions(context, call));
    },
    async deleteMessagesTo(id, toSequenceNr, { permanent = false, ...call } = {}) {
      check(id, toSequenceNr, call, optionCheck.upperBound);
      const remove = permanent ? deleteTo : deleteSoftlyTo;
      return remove(context, id, toSequenceNr, longCallOptions(context, call));
    },
    messages(id, replayOptions = {}) {
      checkId(context, id);
      checkOptions(replayOptions, replayChecks);
      return readMessages(context, settings, id, replayOptions);
    },
  };
}
