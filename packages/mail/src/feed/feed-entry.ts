import type { MailSummary, MarkedMessage } from "../model/mail.ts";
import type { MailCall } from "../model/mail-context.ts";
import type { ChangeEntry, MailLayout } from "../model/mail-layout.ts";

/** Something that happened to the messages of a table, with its place in the order of ids. */
export type FeedEntry =
  | {
      readonly kind: "stored";
      readonly id: string;
      readonly created: number;
      readonly summary: MailSummary;
    }
  | ChangeEntry;

/** A change that waits for a watcher. `id` is that of its entry, if the layout stores changes. */
export type QueuedChange =
  | { readonly kind: "stored"; readonly id: string; readonly summary: MailSummary }
  | { readonly kind: "deleted"; readonly id?: string; readonly ids: readonly string[] }
  | { readonly kind: "marked"; readonly id: string; readonly messages: readonly MarkedMessage[] }
  | { readonly kind: "cleared"; readonly era: string };

export function storedEntry(summary: MailSummary): FeedEntry {
  const { id, created } = summary;
  return { kind: "stored", id, created, summary };
}

/** Returns the messages and changes of this millisecond or later, in the order of their ids. */
export async function recentEntries(
  layout: MailLayout,
  sinceMs: number,
  call: MailCall,
): Promise<FeedEntry[]> {
  const [messages, changes = []] = await Promise.all([
    layout.recent(sinceMs, call),
    layout.changes?.since(sinceMs, Number.POSITIVE_INFINITY, call),
  ]);
  return [...messages.map(storedEntry), ...changes].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Entries whose messages are read together. */
const marksAtOnce = 10;

/**
 * Turns entries into changes. Marks are read now, not taken from the entry: whichever order instances see changes in, the last one
 * reported has the final marks.
 */
export async function queuedChanges(
  layout: MailLayout,
  entries: readonly FeedEntry[],
  call: MailCall,
): Promise<QueuedChange[]> {
  const marks = new Map<string, MarkedMessage>();
  const marked = entries.filter(({ kind }) => kind === "marked") as readonly ChangeEntry[];
  for (let at = 0; at < marked.length; at += marksAtOnce) {
    const ids = [...new Set(marked.slice(at, at + marksAtOnce).flatMap((entry) => entry.ids))];
    for (const summary of (await layout.changes?.summaries(ids, call)) ?? [])
      if (summary !== undefined)
        marks.set(summary.id, { id: summary.id, read: summary.read, tags: summary.tags });
  }
  return entries.map((entry): QueuedChange => {
    if (entry.kind === "stored") return { kind: "stored", id: entry.id, summary: entry.summary };
    if (entry.kind === "deleted") return { kind: "deleted", id: entry.id, ids: entry.ids };
    return { kind: "marked", id: entry.id, messages: entry.ids.flatMap((id) => marks.get(id) ?? []) };
  });
}
