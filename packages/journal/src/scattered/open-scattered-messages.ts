import { type CallOptions, type DynamoPort, type OptionCheck, optionCheck } from "@tablekeep/core";
import { buildContext } from "../build-context.ts";
import { deleteTo } from "../delete/delete-to.ts";
import { callOptions, checkId, longCallOptions } from "../journal-context.ts";
import type { JournalOptions } from "../journal-options.ts";
import { checkSettings } from "../metadata/check-settings.ts";
import { callChecks, checkSequenceNr, replayChecks } from "../options/call-checks.ts";
import { checkOptions, optionInvalid } from "../options/check-options.ts";
import { confirmMessage, deletePermanently, deleteSoftly } from "./change-message.ts";
import { deleteSoftlyTo } from "./delete-softly-to.ts";
import { readMessages } from "./read-messages.ts";
import type { ScatteredMessages } from "./scattered-messages.ts";

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
  const context = await checkSettings(built, settings);
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
