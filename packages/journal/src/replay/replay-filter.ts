import type { EventRow } from "../rows/event-row.ts";

/** What to do with an event of a writer that another writer had superseded. */
export type ReplayFilterMode = "repair-by-discard-old" | "fail" | "warn" | "off";

/** How many superseded writers are remembered: Akka's default for `max-old-writers`. */
const maxOldWriters = 10;

/**
 * Events of the original carry no proof of their order. Akka's replay filter drops those of a writer that comes back
 * after another one has written; so does this. Rows of ours are fenced when they are written and always pass. They
 * supersede the writer before them, but are not remembered: a journal with one writer per event stays within the bound.
 */
export function replayFilter(
  mode: ReplayFilterMode,
  onOld: (row: EventRow) => void,
): (row: EventRow) => boolean {
  const old = new Set<string>();
  let current: string | undefined;
  const supersede = () => {
    if (current !== undefined) old.add(current);
    current = undefined;
    if (old.size > maxOldWriters) old.delete(old.values().next().value as string);
  };
  return (row) => {
    if (mode === "off" || row.writerUuid === "" || row.writerUuid === current) return true;
    if (row.writeId !== undefined) {
      supersede();
      return true;
    }
    if (!old.has(row.writerUuid)) {
      supersede();
      current = row.writerUuid;
      return true;
    }
    onOld(row);
    return mode === "warn";
  };
}
