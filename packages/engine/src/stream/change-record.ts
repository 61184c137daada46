import { createHash } from "node:crypto";
import type { OperationType } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { ItemAnswer } from "../answer/item-answer.ts";
import type { TableModel } from "../catalog/table-model.ts";
import { itemSize } from "../item/item-size.ts";
import { setOwn, type WireItem, type WireValue } from "../item/wire-value.ts";
import type { Change } from "../write/apply-change.ts";
import { sequenceNumber } from "./sequence-number.ts";
import type { StreamRecord } from "./stream-record.ts";

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
 * A change as it lies in storage: its time in milliseconds, which trimming needs, and JSON with the images as they are
 * stored themselves.
 */
export function changeText(table: TableModel, viewType: string, change: Change, now: number): string {
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

/** When the change was made, in milliseconds. */
export function timeOfChange(text: string): number {
  return Number(text.slice(0, text.indexOf("|")));
}

/** A change as GetRecords gives it. */
export function changeAnswer(stream: StreamRecord, region: string, count: number, text: string): Answer {
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
      Keys: ItemAnswer.built(content.keys),
      NewImage: content.new && ItemAnswer.built(content.new),
      OldImage: content.old && ItemAnswer.built(content.old),
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
