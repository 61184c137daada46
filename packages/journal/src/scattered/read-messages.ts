import type { ReplayOptions } from "../journal.ts";
import { type JournalContext, requestOptions } from "../journal-context.ts";
import { settledPosition } from "../position/settled-position.ts";
import { eventOf } from "../replay/replay.ts";
import type { ReplaySettings } from "../replay/replay-limit.ts";
import { liveWrites } from "../tools/copy/live-writes.ts";
import { isPlaceholder } from "../tools/copy/placeholder.ts";
import type { ScatteredMessage } from "./scattered-messages.ts";

/** The messages of an id, deleted ones too: of one that was deleted permanently its number is left. */
export async function* readMessages(
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
  for await (const write of liveWrites(context, settings.replayFilter, persistenceId, range, call)) {
    if (write.length > left) return;
    left -= write.length;
    for (const row of write) {
      if (isPlaceholder(row)) continue;
      const { deleted = false, confirmations = [], sender = "" } = row;
      yield { ...eventOf(context, row), deleted, confirmations, sender };
    }
    if (left <= 0) return;
  }
}
