import type { MailCall } from "../model/mail-context.ts";
import type { ChangeEntry, MailLayout } from "../model/mail-layout.ts";
import type { MailSummary, MarkedMessage } from "../model/message.ts";

/** A message, with its place in the order of ids: an imported one has the place of its import. */
export interface StoredEntry {
  readonly kind: "stored";
  readonly id: string;
  readonly created: number;
  /** The era of the message; "" if the layout has none. */
  readonly era: string;
  readonly summary: MailSummary;
}

/** Something that happened to the messages of a table, with its place in the order of ids. */
export type FeedEntry = StoredEntry | ChangeEntry;

/** A change that waits for a watcher. `id` is that of its entry, if the layout stores changes. */
export type QueuedChange =
  | Omit<StoredEntry, "created">
  | { readonly kind: "deleted"; readonly id?: string; readonly ids: readonly string[] }
  | { readonly kind: "marked"; readonly id: string; readonly messages: readonly MarkedMessage[] }
  | { readonly kind: "cleared"; readonly era: string };

export function storedEntry(
  { timeOf, changes }: Pick<MailLayout, "timeOf" | "changes">,
  summary: MailSummary,
): StoredEntry {
  const { id, created, imported } = summary;
  const era = changes?.eraOf(summary) ?? "";
  if (imported === undefined) return { kind: "stored", id, created, era, summary };
  return { kind: "stored", id: imported, created: timeOf(imported), era, summary };
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
  const stored = messages.map((summary) => storedEntry(layout, summary));
  return [...stored, ...changes].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The number of messages that are read together. */
const readAtOnce = 1_000;

/**
 * Turns entries into changes, in their order; undefined for imported messages that no longer exist. Marks are read now, not taken from
 * the entry: whichever order instances see changes in, the last one reported has the final marks.
 */
export async function queuedChanges(
  layout: MailLayout,
  entries: readonly FeedEntry[],
  call: MailCall,
): Promise<(StoredOrChanged | undefined)[]> {
  const found = new Map<string, MailSummary>();
  const ids = [...new Set(entries.flatMap(idsToRead))];
  for (let at = 0; at < ids.length; at += readAtOnce)
    for (const summary of (await layout.changes?.summaries(ids.slice(at, at + readAtOnce), call)) ?? [])
      if (summary !== undefined) found.set(summary.id, summary);
  return entries.map((entry) => changeOf(layout, entry, found));
}

function changeOf(
  layout: MailLayout,
  entry: FeedEntry,
  found: ReadonlyMap<string, MailSummary>,
): StoredOrChanged | undefined {
  switch (entry.kind) {
    case "stored":
      return entry;
    case "deleted":
      return { kind: "deleted", id: entry.id, ids: entry.ids };
    case "marked":
      return { kind: "marked", id: entry.id, messages: entry.ids.flatMap((id) => marksOf(found.get(id))) };
    case "imported":
      return importedChange(layout, entry, found);
  }
}

/** A change of one entry. */
export type StoredOrChanged = Exclude<QueuedChange, { kind: "cleared" }>;

function idsToRead(entry: FeedEntry): readonly string[] {
  return entry.kind === "marked" || entry.kind === "imported" ? entry.ids : [];
}

function marksOf(summary: MailSummary | undefined): MarkedMessage[] {
  return summary === undefined ? [] : [{ id: summary.id, read: summary.read, tags: summary.tags }];
}

/** A message that was deleted and imported again is reported by its last import alone. */
function importedChange(
  layout: MailLayout,
  { id, ids }: ChangeEntry,
  found: ReadonlyMap<string, MailSummary>,
): StoredOrChanged | undefined {
  const summary = found.get(ids[0] ?? "");
  return summary?.imported === id ? storedEntry(layout, summary) : undefined;
}
