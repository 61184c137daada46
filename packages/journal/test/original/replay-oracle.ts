import type { PlainRow, PlainTable } from "./original-table.ts";

/**
 * What a journal must make of a bucketed table, computed the slow and obvious way from all of its rows at once. Shares no
 * code with the journal.
 */

export interface Bounds {
  readonly from: number;
  readonly to: number;
  readonly max: number;
}

/** Why a row between the lowest and the highest sequence number is not replayed. */
export type HiddenReason = "half-batch" | "superseded" | "uncommitted";

/** A staged row counts only if the commit record of its batch names its write. */
function counts({ commits }: PlainTable, row: PlainRow): boolean {
  return row.tombstone || !row.staged || commits.get(row.first) === row.wid;
}

export function lowestOf({ low }: PlainTable): number {
  return Math.max(1, low);
}

/**
 * The highest number: what the marks say, or the last row in the bucket of the high mark; if that is ours, the declared
 * end of its batch. While that ends a bucket, the bucket of the next number is read too.
 */
export function highestOf(table: PlainTable): number {
  let highest = Math.max(table.high, table.low - 1);
  const looked = new Set<number>();
  for (let bucket = Math.floor(table.high / 100); !looked.has(bucket); ) {
    looked.add(bucket);
    const last = [...table.rows.values()]
      .filter((row) => Math.floor(row.number / 100) === bucket && counts(table, row))
      .at(-1);
    if (last !== undefined) {
      const isOurs = last.wid !== undefined && !last.tombstone;
      highest = Math.max(highest, isOurs ? last.last : last.number);
    }
    if (highest >= bucket * 100 + 99) bucket = Math.floor((highest + 1) / 100);
  }
  return highest;
}

/** Whether all rows of a batch that are not deleted are there. */
function isWhole(table: PlainTable, row: PlainRow): boolean {
  for (let number = Math.max(lowestOf(table), row.first); number <= row.last; number++) {
    const other = table.rows.get(number);
    if (other === undefined || other.wid !== row.wid || other.writer !== row.writer || other.tombstone)
      return false;
    if (!other.inBatch || other.first !== row.first || other.last !== row.last) return false;
  }
  return true;
}

/** The rows that hold an event, in order, and the others. */
function eventRows(table: PlainTable): { events: PlainRow[]; hidden: Map<number, HiddenReason> } {
  const events: PlainRow[] = [];
  const hidden = new Map<number, HiddenReason>();
  for (const row of table.rows.values()) {
    if (row.number < lowestOf(table) || row.number > highestOf(table) || row.tombstone) continue;
    if (!counts(table, row)) hidden.set(row.number, "uncommitted");
    else if (row.inBatch && !isWhole(table, row)) hidden.set(row.number, "half-batch");
    else events.push(row);
  }
  return { events, hidden };
}

/** Drops rows of an original writer that comes back after another writer; of these the last ten are remembered. */
function superseded(rows: readonly PlainRow[]): Set<PlainRow> {
  const dropped = new Set<PlainRow>();
  const old: string[] = [];
  let current: string | undefined;
  for (const row of rows) {
    if (row.wid === undefined && row.writer === current) continue;
    if (row.wid === undefined && old.includes(row.writer)) {
      dropped.add(row);
      continue;
    }
    if (current !== undefined) old.push(current);
    if (old.length > 10) old.shift();
    current = row.wid === undefined ? row.writer : undefined;
  }
  return dropped;
}

/** The numbers that a replay returns. A batch that `to` or `max` would cut ends it; one that `from` cuts returns its rest. */
export function replayOf(table: PlainTable, { from, to, max }: Bounds): number[] {
  const { events } = eventRows(table);
  const dropped = superseded(events);
  const asked = events.filter(({ number }) => number >= from && number <= to);
  const cut = asked.find(({ last }) => last > to);
  const whole = cut === undefined ? asked : asked.slice(0, asked.indexOf(cut));
  const given: number[] = [];
  for (const row of whole) {
    if (dropped.has(row)) continue;
    const rest = row.inBatch ? row.last - Math.max(row.first, from, lowestOf(table)) + 1 : 1;
    const begins = row.number === Math.max(row.first, from, lowestOf(table));
    if (begins && given.length + rest > max) break;
    given.push(row.number);
  }
  return given;
}

/** The rows that a replay without bounds does not return, and why. */
export function hiddenOf(table: PlainTable): Map<number, HiddenReason> {
  const { events, hidden } = eventRows(table);
  for (const { number } of superseded(events)) hidden.set(number, "superseded");
  return hidden;
}
