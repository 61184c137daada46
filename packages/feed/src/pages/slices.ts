/** The number of virtual slices: Akka's constant, so that Akka's ranges of slices can be used here. */
export const virtualSlices = 1024;

/**
 * Returns the virtual slice of an id, as Akka computes it: by Java's hash of the string.
 *
 * @example
 * virtualSliceOf("cart|17"); // 130
 */
export function virtualSliceOf(persistenceId: string): number {
  let hash = 0;
  for (let at = 0; at < persistenceId.length; at++)
    hash = (Math.imul(31, hash) + persistenceId.charCodeAt(at)) | 0;
  return Math.abs(hash % virtualSlices);
}

/**
 * Returns the slice of an id in a feed with this many slices: each is a range of virtual slices.
 *
 * @example
 * sliceOf("cart|17", 16); // 2
 */
export function sliceOf(persistenceId: string, slices: number): number {
  return Math.floor((virtualSliceOf(persistenceId) * slices) / virtualSlices);
}

/** Returns the entity type of an id: what is before the first `|`. Empty if there is none. */
export function entityTypeOf(persistenceId: string): string {
  return persistenceId.slice(0, Math.max(0, persistenceId.indexOf("|")));
}

/** A range of virtual slices, both ends included. */
export interface SliceRange {
  readonly from: number;
  readonly to: number;
}

/** Whether an id is in a range. */
export function isInRange(persistenceId: string, { from, to }: SliceRange): boolean {
  const slice = virtualSliceOf(persistenceId);
  return from <= slice && slice <= to;
}

/** Returns the slices of a feed that overlap a range. */
export function slicesInRange({ from, to }: SliceRange, slices: number): number[] {
  const width = virtualSlices / slices;
  return Array.from({ length: slices }, (_unused, slice) => slice).filter(
    (slice) => slice * width <= to && (slice + 1) * width > from,
  );
}

/**
 * Divides the virtual slices into ranges of about `limit` events at most, by the number of events of each slice: what is compared by name is
 * compared range by range, so that the names need not all be in memory.
 */
export function rangesOf(events: readonly number[], limit: number): SliceRange[] {
  const width = virtualSlices / events.length;
  const ranges: SliceRange[] = [];
  let from = 0;
  let sum = 0;
  for (const [slice, count] of events.entries()) {
    const start = slice * width;
    if (start > from && sum + count > limit) {
      ranges.push({ from, to: start - 1 });
      from = start;
      sum = 0;
    }
    sum += count;
    const parts = Math.min(width, Math.ceil(count / limit));
    for (let part = 1; part < parts; part++) {
      const next = start + Math.floor((part * width) / parts);
      ranges.push({ from, to: next - 1 });
      from = next;
      sum = count / parts;
    }
  }
  return [...ranges, { from, to: virtualSlices - 1 }];
}
