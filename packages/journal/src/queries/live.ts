import type { JournalEvent, ReplayOptions } from "../journal.ts";
import type { JournalContext } from "../journal-context.ts";
import { EventStream } from "../replay/event-stream.ts";
import { eventOf } from "../replay/replay.ts";
import type { ReplaySettings } from "../replay/replay-limit.ts";
import { BetweenLooks } from "./between-looks.ts";
import { livePages } from "./live-pages.ts";
import { currentPersistenceIds, type KnownId, type PersistenceIdsOptions } from "./persistence-ids.ts";

/** The events of an id, those that are there and those that come, until the signal, `to` or `max`. */
export async function* eventsById(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncGenerator<JournalEvent, void, undefined> {
  const pages = livePages(context, settings, persistenceId, options);
  for await (const event of new EventStream(pages, (row) => eventOf(context, row))) {
    // Of a page that is there the rest is not given to a caller that has given up.
    if (options.signal?.aborted) return;
    yield event;
  }
}

/** The ids that are there and those that come, each once. Remembers all ids it gave. */
export async function* persistenceIds(
  context: JournalContext,
  options: PersistenceIdsOptions,
): AsyncGenerator<KnownId, void, undefined> {
  const seen = new Set<string>();
  const looks = new BetweenLooks(context, options.signal);
  for (;;) {
    const before = seen.size;
    try {
      for await (const known of currentPersistenceIds(context, options)) {
        if (seen.has(known.persistenceId)) continue;
        if (options.signal?.aborted) return;
        seen.add(known.persistenceId);
        yield known;
      }
    } catch (error) {
      if (!(await looks.waitAfter(error))) return;
      continue;
    }
    if (!(await looks.wait(seen.size > before))) return;
  }
}
