import type { KeySchemaElement, StreamViewType } from "@tablekeep/core";
import { prefixEnd, type Storage } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { dynamoError, invalid } from "../values/dynamo-errors.ts";
import { metaKey } from "./storage-keys.ts";

/** The stored record of a stream. A table has at most one enabled stream; disabled ones are kept for a day. */
export interface StreamRecord {
  /** Four bytes that begin the storage keys of its change records. Never reused. */
  readonly id: string;
  readonly arn: string;
  readonly label: string;
  readonly tableName: string;
  readonly viewType: StreamViewType;
  readonly keySchema: readonly KeySchemaElement[];
  /** In milliseconds. */
  readonly createdAt: number;
  /** When it stopped accepting records, in milliseconds. */
  readonly closedAt?: number;
  /** The number of the last trimmed record. @default 0, none */
  readonly trimmedTo?: number;
}

/** Returns the id of a stream's only shard. */
export function shardId({ createdAt, id }: StreamRecord): string {
  const hex = Buffer.from(id, "latin1").toString("hex");
  return `shardId-${String(createdAt).padStart(20, "0")}-${hex}`;
}

const streamPrefix = metaKey("stream/");
const streamArnPattern =
  /^arn:[a-z-]+:dynamodb:[a-z0-9-]+:[0-9]{12}:(table\/[a-zA-Z0-9_.-]+\/stream\/[0-9T:.-]+)$/;

/** The streams, in memory, as of the last commit. */
export class StreamCatalog {
  #streams = new Map<string, StreamRecord>();

  /** Reads all stored streams. */
  static load(storage: Storage): StreamCatalog {
    const catalog = new StreamCatalog();
    catalog.reload(storage);
    return catalog;
  }

  /** Reads all streams again, for example after the storage returned to an earlier state. */
  reload(storage: Storage): void {
    const streams = new Map<string, StreamRecord>();
    storage.scan({ start: streamPrefix, end: prefixEnd(streamPrefix) }, (_key, value) => {
      const record = JSON.parse(value) as StreamRecord;
      streams.set(record.arn, record);
      return true;
    });
    this.#streams = streams;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Returns the stream of an ARN, of any region and account, or throws DynamoDB's error. */
  get(arn: string): StreamRecord {
    const wanted = streamArnPattern.exec(arn)?.[1];
    if (wanted === undefined) throw invalid("Invalid StreamArn");
    const stream = this.#streams.get(arn) ?? this.all().find((each) => each.arn.endsWith(`:${wanted}`));
    if (stream === undefined) {
      throw dynamoError(
        "ResourceNotFoundException",
        `Requested resource not found: Stream: ${arn} not found`,
      );
    }
    return stream;
  }

  /** Returns all streams, ordered by ARN. */
  all(): StreamRecord[] {
    return [...this.#streams.values()].sort((a, b) => (a.arn < b.arn ? -1 : 1));
  }

  /** Stores a stream; it is in the catalog once that is durable. */
  put(transaction: WriteTransaction, record: StreamRecord): void {
    transaction.put(streamPrefix + record.arn, JSON.stringify(record));
    transaction.onCommitted(() => this.#streams.set(record.arn, record));
  }

  /** Removes a stream's record. */
  delete(transaction: WriteTransaction, arn: string): void {
    transaction.delete(streamPrefix + arn);
    transaction.onCommitted(() => this.#streams.delete(arn));
  }

  /** Returns a stream as the earlier writes leave it. */
  latest(transaction: WriteTransaction, arn: string): StreamRecord | undefined {
    const text = transaction.get(streamPrefix + arn);
    return text === undefined ? undefined : (JSON.parse(text) as StreamRecord);
  }
}
