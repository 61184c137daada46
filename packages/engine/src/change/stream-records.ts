import type { Clock } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { streamSeries } from "../catalog/storage-keys.ts";
import type { StreamRecord } from "../catalog/stream-catalog.ts";
import type { TableModel } from "../catalog/table-model.ts";
import { lastOfSeries } from "../storage/series.ts";
import type { Storage } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import type { Change } from "./change.ts";
import { changeToAnswer, encodeChange } from "./change-record.ts";

/** Dependencies of the functions that create change records. */
export interface RecordContext {
  readonly clock: Clock;
  readonly streamWatchers: {
    reporter(streamId: string, change: Change, now: number): ((count: number) => void) | undefined;
  };
}

/** Adds a change record to the table's stream, if it has one. Call it only if something changed. */
export function recordChange(
  { clock, streamWatchers }: RecordContext,
  transaction: WriteTransaction,
  table: TableModel,
  change: Change,
): void {
  const { stream } = table;
  if (stream === undefined) return;
  const now = clock.now();
  const record = encodeChange(table.keyNames, stream.viewType, change, now);
  transaction.append(streamSeries(stream.id), record, streamWatchers.reporter(stream.id, change, now));
}

/** Returns the number of change records that a stream ever had. */
export function changeCount(storage: Pick<Storage, "scan">, { id, trimmedTo = 0 }: StreamRecord): number {
  return Math.max(lastOfSeries(storage, streamSeries(id)), trimmedTo);
}

/** Converts the stored change with this number to a record of GetRecords. */
export function recordAnswer(stream: StreamRecord, region: string, count: number, text: string): Answer {
  const id = streamHex(stream) + count.toString(16).padStart(countDigits, "0");
  return changeToAnswer(stream, region, { id, sequence: sequenceNumber(stream, count) }, text);
}

/** 20 hexadecimal digits of a stream: its creation and its id. */
function streamHex({ createdAt, id }: StreamRecord): string {
  return Math.floor(createdAt).toString(16).padStart(12, "0") + Buffer.from(id, "latin1").toString("hex");
}

/** 13 digits of the stream, then 12 for the number of the record: always longer than DynamoDB's minimum of 21. */
const ownDigits = 13;
const countDigits = 12;

/** Returns a record's sequence number. The records of a stream count from 1. */
export function sequenceNumber({ createdAt }: Pick<StreamRecord, "createdAt">, count: number): string {
  return String(createdAt).padStart(ownDigits, "0") + String(count).padStart(countDigits, "0");
}

/**
 * Returns the number of the record with this sequence number; undefined if it does not belong to this stream. Leading zeros may be
 * missing, because callers may keep it as a number.
 */
export function countOf(stream: Pick<StreamRecord, "createdAt">, text: string): number | undefined {
  const count = Number(text.slice(-countDigits));
  return sequenceNumber(stream, count) === text.padStart(ownDigits + countDigits, "0") ? count : undefined;
}
