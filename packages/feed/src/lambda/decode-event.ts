import type { Item } from "@tablekeep/core";
import type { ChangeRecord } from "../stream/change-source.ts";
import { decodeRecord, recordInvalid, sequenceOf } from "../stream/decode-record.ts";
import { eventItem, isObject, typeOf } from "./event-item.ts";

/** An event of AWS Lambda with changes to one table. */
export interface DecodedEvent {
  /** The ARN of the stream: of DynamoDB, or of Kinesis. Undefined if the event has no records. */
  readonly arn: string | undefined;
  readonly changes: readonly EventChange[];
}

/** One change of an event. */
export interface EventChange {
  /** Its shard is the event's, or "" where the event does not name it: all records of an event are of one shard. */
  readonly record: ChangeRecord;
  /** Identifies it in the response to AWS Lambda. */
  readonly itemIdentifier: string;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Decodes an event of AWS Lambda: of a DynamoDB stream, or of a Kinesis data stream to which a table sends its changes. Throws
 * `FEED_RECORD_INVALID` if it is not in the format that AWS documents.
 *
 * @example
 * const { changes } = decodeEvent(event);
 */
export function decodeEvent(event: unknown): DecodedEvent {
  const records = isObject(event) ? event["Records"] : undefined;
  if (!isObject(event) || !Array.isArray(records)) {
    throw recordInvalid("Records", `must be an array, got ${typeOf(records)}`);
  }
  const decoded = records.map((record: unknown, at) => decodeOne(event, record, `Records[${at}]`));
  const [first] = decoded;
  const other = decoded.findIndex(({ arn }) => arn !== first?.arn);
  if (other !== -1)
    throw recordInvalid(`Records[${other}].eventSourceARN`, "must be that of the first record");
  return { arn: first?.arn, changes: decoded.map(({ change }) => change) };
}

function decodeOne(event: Members, record: unknown, path: string): { arn: string; change: EventChange } {
  if (!isObject(record)) throw recordInvalid(path, `must be an object, got ${typeOf(record)}`);
  const { eventSource, eventSourceARN: arn } = record;
  if (typeof arn !== "string")
    throw recordInvalid(`${path}.eventSourceARN`, `must be a string, got ${typeOf(arn)}`);
  if (eventSource === "aws:dynamodb") return { arn, change: ofDynamoDb(event, record, path) };
  if (eventSource === "aws:kinesis") return { arn, change: ofKinesis(record, path) };
  throw recordInvalid(
    `${path}.eventSource`,
    `must be aws:dynamodb or aws:kinesis, got ${String(eventSource)}`,
  );
}

function ofDynamoDb(event: Members, record: Members, path: string): EventChange {
  const { dynamodb } = record;
  if (!isObject(dynamodb))
    throw recordInvalid(`${path}.dynamodb`, `must be an object, got ${typeOf(dynamodb)}`);
  const { SequenceNumber: itemIdentifier, ApproximateCreationDateTime: seconds } = dynamodb;
  if (typeof itemIdentifier !== "string") {
    throw recordInvalid(`${path}.dynamodb.SequenceNumber`, `must be a string, got ${typeOf(itemIdentifier)}`);
  }
  // Only events with a time window name their shard.
  const shard = typeof event["shardId"] === "string" ? event["shardId"] : "";
  const change = changeOf(record, dynamodb, path, {
    shard,
    sequence: itemIdentifier,
    sequencePath: `${path}.dynamodb.SequenceNumber`,
    createdAt: timeOf(seconds, 0.001, `${path}.dynamodb.ApproximateCreationDateTime`),
  });
  return { record: change, itemIdentifier };
}

/** A record of Kinesis contains the change as JSON; sequence number and shard are those of Kinesis. */
function ofKinesis(record: Members, path: string): EventChange {
  const { kinesis, eventID } = record;
  if (!isObject(kinesis)) throw recordInvalid(`${path}.kinesis`, `must be an object, got ${typeOf(kinesis)}`);
  const { sequenceNumber: itemIdentifier, data } = kinesis;
  if (typeof itemIdentifier !== "string") {
    throw recordInvalid(`${path}.kinesis.sequenceNumber`, `must be a string, got ${typeOf(itemIdentifier)}`);
  }
  const content = parseData(data, `${path}.kinesis.data`);
  const inner = `${path}.kinesis.data.dynamodb`;
  const { dynamodb } = content;
  if (!isObject(dynamodb)) throw recordInvalid(inner, `must be an object, got ${typeOf(dynamodb)}`);
  const micro = dynamodb["ApproximateCreationDateTimePrecision"] === "MICROSECOND";
  const time = dynamodb["ApproximateCreationDateTime"];
  const [shard = ""] = typeof eventID === "string" && eventID.includes(":") ? eventID.split(":") : [];
  const change = changeOf(content, dynamodb, `${path}.kinesis.data`, {
    shard,
    sequence: itemIdentifier,
    sequencePath: `${path}.kinesis.sequenceNumber`,
    createdAt: timeOf(time, micro ? 1000 : 1, `${inner}.ApproximateCreationDateTime`),
  });
  return { record: change, itemIdentifier };
}

function parseData(data: unknown, path: string): Members {
  if (typeof data !== "string") throw recordInvalid(path, `must be a string, got ${typeOf(data)}`);
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(data, "base64").toString());
  } catch {
    throw recordInvalid(path, "must be JSON in base64");
  }
  if (!isObject(content)) throw recordInvalid(path, `must be an object, got ${typeOf(content)}`);
  return content;
}

interface Origin {
  readonly shard: string;
  readonly sequence: string;
  /** The path of the sequence number in the event. */
  readonly sequencePath: string;
  /** In milliseconds. */
  readonly createdAt: number;
}

function changeOf(record: Members, dynamodb: Members, path: string, origin: Origin): ChangeRecord {
  sequenceOf(origin.sequence, origin.sequencePath);
  return decodeRecord(
    origin.shard,
    {
      eventName: record["eventName"] as never,
      dynamodb: {
        Keys: eventItem(dynamodb["Keys"], `${path}.dynamodb.Keys`),
        ...imageOf(dynamodb, "NewImage", path),
        ...imageOf(dynamodb, "OldImage", path),
        SequenceNumber: origin.sequence,
        ApproximateCreationDateTime: new Date(origin.createdAt),
      },
    },
    path,
  );
}

/** Returns an image of the record, if it has one. Kinesis uses null for a missing one. */
function imageOf(
  dynamodb: Members,
  name: "NewImage" | "OldImage",
  path: string,
): { readonly [image in typeof name]?: Item } {
  const image = dynamodb[name];
  return image === undefined || image === null
    ? {}
    : { [name]: eventItem(image, `${path}.dynamodb.${name}`) };
}

/** Returns a time in milliseconds, rounded down. `units`: how many units of the value make a millisecond. */
function timeOf(value: unknown, units: number, path: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw recordInvalid(path, `must be a number, got ${typeOf(value)}`);
  }
  const time = Math.floor(units < 1 ? value * 1000 : value / units);
  if (Math.abs(time) > 8.64e15) throw recordInvalid(path, `must be a time, got ${value}`);
  return time;
}
