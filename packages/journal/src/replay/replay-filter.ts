import type { EventRow } from "../rows/event-row.ts";

/** What to do with an event of a writer that had been followed by another. */
export type ReplayFilterMode = "repair-by-discard-old" | "fail" | "warn" | "off";

/**
 * Events that the original wrote carry no proof of their order. Akka's own filter drops those of a writer that comes
 * back after another has written; so do we. Rows of ours are fenced when they are written, and always pass.
 */
export function replayFilter(
  mode: ReplayFilterMode,
  onOld: (row: EventRow) => void,
): (row: EventRow) => boolean {
  const earlier = new Set<string>();
  let current: string | undefined;
  return (row) => {
    if (mode === "off" || row.writerUuid === "" || row.writerUuid === current) return true;
    const old = earlier.has(row.writerUuid);
    if (!old) {
      if (current !== undefined) earlier.add(current);
      current = row.writerUuid;
    }
    if (!old || row.writeId !== undefined) return true;
    onOld(row);
    return mode === "warn";
  };
}
