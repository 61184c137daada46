import { itemSize, type OperationType } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { ItemAnswer } from "../answer/item-answer.ts";
import type { StreamRecord } from "../catalog/stream-catalog.ts";
import { StoredItem } from "../values/stored-item.ts";
import { setOwn, type WireItem, type WireValue } from "../values/wire-value.ts";
import type { Change } from "./change.ts";

/** What happened to the item, as one letter. A deletion by time to live has its own. */
const events: Readonly<Record<string, OperationType>> = {
  I: "INSERT",
  M: "MODIFY",
  R: "REMOVE",
  T: "REMOVE",
};

/** A change as a stream shows it. */
export interface ChangeContent {
  readonly event: OperationType;
  readonly keys: ItemAnswer;
  readonly newImage: ItemAnswer | undefined;
  readonly oldImage: ItemAnswer | undefined;
  /** Bytes as DynamoDB counts them: keys and images. */
  readonly size: number;
  readonly byTimeToLive: boolean;
}

/**
 * Encodes a change for storage. Images are the JSON strings that the items themselves are stored as: nothing is parsed or built again.
 *
 *     1577836800000|I2s|b2s|{"pk":{"S":"a"},…}
 *     │             │└┬┘ └ the new image, then the old one; the keys, if the stream shows neither
 *     │             │ └ the length of the new image, base 36; absent if there is none
 *     │             └ what happened: I, M, R, or T for a deletion by time to live
 *     └ when, in milliseconds, which trimming needs
 */
export function encodeChange(
  keyNames: readonly string[],
  viewType: string,
  change: Change,
  now: number,
): string {
  const { before, after } = change;
  const event = before === undefined ? "I" : after !== undefined ? "M" : change.byTimeToLive ? "T" : "R";
  const newText = viewType === "NEW_IMAGE" || viewType === "NEW_AND_OLD_IMAGES" ? (after?.text ?? "") : "";
  const oldText = viewType === "OLD_IMAGE" || viewType === "NEW_AND_OLD_IMAGES" ? (before?.text ?? "") : "";
  const length = newText === "" ? "" : newText.length.toString(36);
  if (length !== "" || oldText !== "") return `${now}|${event}${length}|${newText}${oldText}`;
  const keys = keysOf(keyNames, ((after ?? before) as StoredItem).item);
  return `${now}|${event}|${JSON.stringify(keys)}`;
}

/** Returns when a change was made, in milliseconds. */
export function timeOfChange(text: string): number {
  return Number(text.slice(0, text.indexOf("|")));
}

const openBrace = 123;

/** Decodes a stored change. */
export function decodeChange(stream: Pick<StreamRecord, "keySchema">, text: string): ChangeContent {
  const start = text.indexOf("|") + 1;
  if (text.charCodeAt(start) === openBrace) return decodeJson(text.slice(start));
  const end = text.indexOf("|", start);
  const letter = text.charAt(start);
  const length = end === start + 1 ? 0 : Number.parseInt(text.slice(start + 1, end), 36);
  const middle = end + 1 + length;
  const common = { event: events[letter] as OperationType, byTimeToLive: letter === "T" };
  if (length === 0 && text.charCodeAt(end + 1) === openBrace) {
    const keys = JSON.parse(text.slice(end + 1)) as WireItem;
    const size = itemSize(keys);
    return { ...common, keys: ItemAnswer.ofItem(keys), newImage: undefined, oldImage: undefined, size };
  }
  const newItem = length === 0 ? undefined : new StoredItem(text.slice(end + 1, middle));
  const oldItem = middle === text.length ? undefined : new StoredItem(text.slice(middle));
  const names = stream.keySchema.map(({ AttributeName = "" }) => AttributeName);
  const item = (newItem ?? oldItem) as StoredItem;
  return {
    ...common,
    keys: ItemAnswer.ofAttributes(item, names),
    newImage: newItem && ItemAnswer.ofStored(newItem),
    oldImage: oldItem && ItemAnswer.ofStored(oldItem),
    size: itemSize(item.parseSome(names)) + (newItem?.size ?? 0) + (oldItem?.size ?? 0),
  };
}

/** Decodes what was stored before images were stored as JSON strings: one JSON object. */
function decodeJson(json: string): ChangeContent {
  const content = JSON.parse(json) as {
    readonly event: OperationType;
    readonly keys: WireItem;
    readonly new?: WireItem;
    readonly old?: WireItem;
    readonly size: number;
    readonly byTimeToLive?: true;
  };
  return {
    event: content.event,
    keys: ItemAnswer.ofItem(content.keys),
    newImage: content.new && ItemAnswer.ofItem(content.new),
    oldImage: content.old && ItemAnswer.ofItem(content.old),
    size: content.size,
    byTimeToLive: content.byTimeToLive === true,
  };
}

function keysOf(names: readonly string[], item: WireItem): WireItem {
  const keys: Record<string, WireValue> = {};
  for (const name of names) setOwn(keys, name, item[name] as WireValue);
  return keys;
}

/** Converts a stored change to a record of GetRecords. `id` and `sequence` are its own. */
export function changeToAnswer(
  stream: StreamRecord,
  region: string,
  { id, sequence }: { readonly id: string; readonly sequence: string },
  text: string,
): Answer {
  const { event, keys, newImage, oldImage, size, byTimeToLive } = decodeChange(stream, text);
  return {
    eventID: id,
    eventName: event,
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: region,
    dynamodb: {
      // AWS: API_streams_StreamRecord — in whole seconds.
      ApproximateCreationDateTime: new Date(Math.floor(timeOfChange(text) / 1000) * 1000),
      Keys: keys,
      NewImage: newImage,
      OldImage: oldImage,
      SequenceNumber: sequence,
      SizeBytes: size,
      StreamViewType: stream.viewType,
    },
    userIdentity: byTimeToLive ? { PrincipalId: "dynamodb.amazonaws.com", Type: "Service" } : undefined,
  };
}
