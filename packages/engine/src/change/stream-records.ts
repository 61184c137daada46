import { createHash } from "node:crypto";
import { type Clock, itemSize, type OperationType } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { ItemAnswer } from "../answer/item-answer.ts";
import { metaKey, regions } from "../catalog/storage-keys.ts";
import type { StreamRecord } from "../catalog/stream-catalog.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { setOwn, type WireItem, type WireValue } from "../values/wire-value.ts";
import type { Change } from "./change.ts";

/** Adds a change record to the table's stream, if it has one. Call it only if something changed. */
export function recordChange(
  clock: Clock,
  transaction: WriteTransaction,
  table: TableModel,
  change: Change,
): void {
  const { stream } = table;
  if (stream === undefined) return;
  const countKey = streamCountKey(stream.id);
  const count = Number(transaction.get(countKey) ?? 0) + 1;
  transaction.put(countKey, String(count));
  transaction.put(changeKey(stream.id, count), encodeChange(table, stream.viewType, change, clock.now()));
}

interface ChangeContent {
  readonly event: OperationType;
  readonly keys: WireItem;
  readonly new?: WireItem;
  readonly old?: WireItem;
  /** Bytes as DynamoDB counts them: keys and images. */
  readonly size: number;
  readonly byTimeToLive?: true;
}

/**
 * Encodes a change for storage: its time in milliseconds, which trimming needs, and JSON with the images as they are
 * stored.
 */
function encodeChange(table: TableModel, viewType: string, change: Change, now: number): string {
  const { before, after } = change;
  const keys = keysOf(table, ((after ?? before) as NonNullable<typeof after>).item);
  const showsNew = viewType === "NEW_IMAGE" || viewType === "NEW_AND_OLD_IMAGES";
  const showsOld = viewType === "OLD_IMAGE" || viewType === "NEW_AND_OLD_IMAGES";
  const event: OperationType = before === undefined ? "INSERT" : after === undefined ? "REMOVE" : "MODIFY";
  let size = itemSize(keys);
  let images = "";
  if (showsNew && after !== undefined) {
    images += `,"new":${after.json}`;
    size += after.size;
  }
  if (showsOld && before !== undefined) {
    images += `,"old":${before.json}`;
    size += before.size;
  }
  const origin = change.byTimeToLive ? ',"byTimeToLive":true' : "";
  return `${now}|{"event":"${event}","keys":${JSON.stringify(keys)},"size":${size}${images}${origin}}`;
}

/** Returns when the change was made, in milliseconds. */
export function timeOfChange(text: string): number {
  return Number(text.slice(0, text.indexOf("|")));
}

/** Converts a stored change to a record of GetRecords. */
export function changeToAnswer(stream: StreamRecord, region: string, count: number, text: string): Answer {
  const content = JSON.parse(text.slice(text.indexOf("|") + 1)) as ChangeContent;
  const sequence = sequenceNumber(stream, count);
  return {
    eventID: createHash("sha256").update(`${stream.arn} ${sequence}`).digest("hex").slice(0, 32),
    eventName: content.event,
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: region,
    dynamodb: {
      // AWS: API_streams_StreamRecord — in whole seconds.
      ApproximateCreationDateTime: new Date(Math.floor(timeOfChange(text) / 1000) * 1000),
      Keys: ItemAnswer.ofItem(content.keys),
      NewImage: content.new && ItemAnswer.ofItem(content.new),
      OldImage: content.old && ItemAnswer.ofItem(content.old),
      SequenceNumber: sequence,
      SizeBytes: content.size,
      StreamViewType: stream.viewType,
    },
    userIdentity: content.byTimeToLive && { PrincipalId: "dynamodb.amazonaws.com", Type: "Service" },
  };
}

function keysOf(table: TableModel, item: WireItem): WireItem {
  const keys: Record<string, WireValue> = {};
  for (const name of table.keyNames) setOwn(keys, name, item[name] as WireValue);
  return keys;
}

/** Returns the key of the record with the number of change records that a stream ever had. */
export function streamCountKey(streamId: string): string {
  return metaKey(`stream-count/${streamId}`);
}

/** Returns the prefix of all change records of a stream. */
export function streamRegion(streamId: string): string {
  return regions.streams + streamId;
}

/** Returns the key of a change record. */
export function changeKey(streamId: string, count: number): string {
  return streamRegion(streamId) + count.toString(16).padStart(12, "0");
}

/** Returns the number of the change record with this key. */
export function countOfKey(streamId: string, key: string): number {
  return Number.parseInt(key.slice(streamRegion(streamId).length), 16);
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
