import { prefixEnd, type Storage, type StorageKey } from "./storage.ts";

/**
 * A series is a list of numbered records in the storage, such as the change records of a stream. It is appended to at its end, and trimmed at its
 * start. An entry of the storage has successive records, of one commit or of several. Its key is that of the first
 * record.
 *
 *     key    prefix of the series, number of the first record
 *     value  #2s,record…   each record with its length, in base 36
 *
 * Before format 3 of a folder, each record was a separate entry, without a length.
 */
export type SeriesPrefix = StorageKey;

/** The first byte of the keys of all series. */
export const seriesRegion: StorageKey = "\x03";

const listMark = "#";
const numberDigits = 12;

/** Returns the key of an entry that begins with this record. */
export function seriesKey(series: SeriesPrefix, number: number): StorageKey {
  return series + number.toString(16).padStart(numberDigits, "0");
}

/** Returns the number of the first record of an entry. */
export function numberOfKey(key: StorageKey): number {
  return Number.parseInt(key.slice(-numberDigits), 16);
}

/** Returns the value of an entry. */
export function encodeRecords(records: readonly string[]): string {
  let entry = listMark;
  for (const record of records) entry += `${record.length.toString(36)},${record}`;
  return entry;
}

/** Larger entries would be trimmed late, and each page of records would decode all of one. In characters; one record may be longer. */
const maxEntryLength = 32 * 1024;

/** Returns the entries for new records, of which the first has this number. */
export function entriesOf(
  series: SeriesPrefix,
  first: number,
  records: readonly string[],
): (readonly [StorageKey, string])[] {
  const entries: (readonly [StorageKey, string])[] = [];
  let from = 0;
  let length = 0;
  for (const [at, record] of records.entries()) {
    if (length > 0 && length + record.length > maxEntryLength) {
      entries.push([seriesKey(series, first + from), encodeRecords(records.slice(from, at))]);
      from = at;
      length = 0;
    }
    length += record.length;
  }
  entries.push([seriesKey(series, first + from), encodeRecords(records.slice(from))]);
  return entries;
}

/** Returns the records of an entry. */
export function decodeRecords(entry: string): string[] {
  if (!entry.startsWith(listMark)) return [entry];
  const records: string[] = [];
  for (const [start, end] of recordRanges(entry)) records.push(entry.slice(start, end));
  return records;
}

/** Returns the number of records of an entry. */
function countRecords(entry: string): number {
  return entry.startsWith(listMark) ? recordRanges(entry).length : 1;
}

function recordRanges(entry: string): (readonly [start: number, end: number])[] {
  const ranges: (readonly [number, number])[] = [];
  for (let at = listMark.length; at < entry.length; ) {
    const comma = entry.indexOf(",", at);
    const end = comma + 1 + Number.parseInt(entry.slice(at, comma), 36);
    ranges.push([comma + 1, end]);
    at = end;
  }
  return ranges;
}

/** Visits the records of a series from a number on, in their order, until `visit` returns false. */
export function scanSeries(
  storage: Pick<Storage, "scan">,
  series: SeriesPrefix,
  from: number,
  visit: (number: number, record: string) => boolean,
): void {
  const end = prefixEnd(series);
  let start = seriesKey(series, from);
  // The entry that contains it may begin with an earlier record.
  storage.scan({ start: series, end: seriesKey(series, from + 1), reverse: true }, (key) => {
    start = key;
    return false;
  });
  storage.scan({ start, end }, (key, entry) => {
    let number = numberOfKey(key);
    for (const record of decodeRecords(entry)) {
      if (number >= from && !visit(number, record)) return false;
      number++;
    }
    return true;
  });
}

/** Returns the number of the last record of a series; 0 if it has none. */
export function lastOfSeries(storage: Pick<Storage, "scan">, series: SeriesPrefix): number {
  let last = 0;
  storage.scan({ start: series, end: prefixEnd(series), reverse: true }, (key, entry) => {
    last = numberOfKey(key) + countRecords(entry) - 1;
    return false;
  });
  return last;
}

/**
 * Joins entries of a series that follow each other: writing one large entry takes a fraction of the time of many small ones. The
 * entries must be new, so that nothing else is stored under their keys.
 */
export function joinEntries(
  changes: Iterable<readonly [StorageKey, string | undefined]>,
): Map<StorageKey, string | undefined> {
  const joined = new Map<StorageKey, string | undefined>();
  const open = new Map<SeriesPrefix, { key: StorageKey; value: string; next: number }>();
  for (const [key, value] of changes) {
    if (value === undefined || !key.startsWith(seriesRegion) || !value.startsWith(listMark)) {
      joined.set(key, value);
      continue;
    }
    const series = key.slice(0, -numberDigits);
    const number = numberOfKey(key);
    const next = number + countRecords(value);
    const before = open.get(series);
    if (
      before !== undefined &&
      before.next === number &&
      before.value.length + value.length <= maxEntryLength
    ) {
      before.value += value.slice(listMark.length);
      before.next = next;
      joined.set(before.key, before.value);
    } else {
      open.set(series, { key, value, next });
      joined.set(key, value);
    }
  }
  return joined;
}
