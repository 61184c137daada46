import type { GetShardIteratorInput } from "@tablekeep/core";
import type { StreamRecord } from "../../catalog/stream-catalog.ts";
import {
  iteratorLifetimeMs,
  positionOfIterator,
  shardIterator,
  shardNotFound,
  trimmedDataError,
} from "../../change/shard-iterator.ts";
import { changeCount, countOf, recordAnswer, sequenceNumber } from "../../change/stream-records.ts";
import type { Database, Operation, OperationTable } from "../../database/database.ts";
import { invalid } from "../../values/dynamo-errors.ts";
import type { StreamBehavior } from "../behavior-options.ts";
import type { SimulatedChance } from "../simulated-chance.ts";
import type { ShownRecord, SimulatedShard } from "./simulated-shard.ts";
import { SimulatedStream } from "./simulated-stream.ts";

// AWS: API_streams_DescribeStream — shards of one response. API_streams_GetRecords — records and bytes of one response.
const maxShards = 100;
const maxRecords = 1000;
const maxBytes = 1024 * 1024;

/** The operations of streams that have several shards and show records late, as configured by `behavior.streams`. */
export class SimulatedStreams {
  readonly #behavior: StreamBehavior;
  readonly #random: SimulatedChance;
  readonly #streams = new Map<string, SimulatedStream>();

  constructor(behavior: StreamBehavior, random: SimulatedChance) {
    this.#behavior = behavior;
    this.#random = random;
  }

  /** The operations that differ from those of the engine. */
  get operations(): OperationTable {
    return {
      DescribeStream: this.#describeStream,
      GetShardIterator: this.#getShardIterator,
      GetRecords: this.#getRecords,
    };
  }

  /** Shows every record. */
  showAll(): void {
    for (const stream of this.#streams.values()) stream.show(Number.POSITIVE_INFINITY);
  }

  readonly #describeStream: Operation<"DescribeStream"> = (database, input) => {
    const record = database.streams.get(input.StreamArn ?? "");
    const listed = this.#current(database, record).shards.filter(({ isGone }) => !isGone);
    const { ExclusiveStartShardId: from, Limit = maxShards, ShardFilter: filter } = input;
    const wanted =
      filter?.Type === "CHILD_SHARDS" ? listed.filter(({ parent }) => parent?.id === filter.ShardId) : listed;
    const rest = wanted.slice(from === undefined ? 0 : wanted.findIndex(({ id }) => id === from) + 1);
    const page = rest.slice(0, Limit);
    return {
      StreamDescription: {
        StreamArn: record.arn,
        StreamLabel: record.label,
        StreamStatus: record.closedAt === undefined ? "ENABLED" : "DISABLED",
        StreamViewType: record.viewType,
        CreationRequestDateTime: new Date(record.createdAt),
        TableName: record.tableName,
        KeySchema: record.keySchema,
        Shards: page.map((shard) => describeShard(record, shard)),
        LastEvaluatedShardId: page.length < rest.length ? page[page.length - 1]?.id : undefined,
      },
    };
  };

  readonly #getShardIterator: Operation<"GetShardIterator"> = (database, input) => {
    const record = database.streams.get(input.StreamArn ?? "");
    const shard = this.#current(database, record).shards.find(({ id }) => id === input.ShardId);
    if (shard === undefined || shard.isGone) throw shardNotFound(record.arn, input.ShardId);
    const next = nextRecord(record, shard, input);
    const issuedAt = database.clock.now();
    return { ShardIterator: shardIterator({ streamArn: record.arn, next, issuedAt, shard: shard.index }) };
  };

  readonly #getRecords: Operation<"GetRecords"> = (database, input) => {
    const { ShardIterator = "", Limit = maxRecords } = input;
    const now = database.clock.now();
    const { iteratorMs = iteratorLifetimeMs, emptyPages = 0 } = this.#behavior;
    const position = positionOfIterator(ShardIterator, now, iteratorMs);
    const record = database.streams.get(position.streamArn);
    const shard = this.#current(database, record).shards[position.shard ?? 0];
    if (shard === undefined || shard.isGone) throw trimmedDataError();
    if (position.next > 0 && position.next <= shard.trimmedTo) throw trimmedDataError();
    const left = shard.from(position.next);
    const at = { streamArn: record.arn, issuedAt: now, shard: shard.index };
    const empty =
      left.length === 0 ? 0 : (position.emptyPages ?? this.#random.pick("empty pages", emptyPages));
    if (empty > 0) {
      const next = { ...at, next: position.next, emptyPages: empty - 1 };
      return { Records: [], NextShardIterator: shardIterator(next) };
    }
    const page = onePage(left, database.service.pageLimit(Limit) ?? Limit);
    const last = page[page.length - 1]?.sequence;
    const next = { ...at, next: last === undefined ? position.next : last + 1 };
    return {
      Records: page.map(({ sequence, text }) => recordAnswer(record, database.region, sequence, text)),
      NextShardIterator: page.length === left.length && shard.isClosed ? undefined : shardIterator(next),
    };
  };

  /** Returns the stream as it is now. */
  #current({ bareStorage, clock }: Database, record: StreamRecord): SimulatedStream {
    const stored = changeCount(bareStorage, record);
    let stream = this.#streams.get(record.arn);
    // The storage may have returned to an earlier state.
    if (stream === undefined || stream.count > stored) {
      stream = new SimulatedStream(record, this.#behavior, this.#random);
      this.#streams.set(record.arn, stream);
    }
    stream.update(bareStorage, clock.now(), record.closedAt !== undefined);
    return stream;
  }
}

function describeShard(record: StreamRecord, shard: SimulatedShard): object {
  return {
    ShardId: shard.id,
    ParentShardId: shard.parent?.id,
    SequenceNumberRange: {
      StartingSequenceNumber: sequenceNumber(record, shard.start),
      EndingSequenceNumber: shard.isClosed ? sequenceNumber(record, shard.last) : undefined,
    },
  };
}

function nextRecord(record: StreamRecord, shard: SimulatedShard, input: GetShardIteratorInput): number {
  const { ShardIteratorType: type, SequenceNumber: text } = input;
  if (type === "TRIM_HORIZON" || type === "LATEST") {
    if (text !== undefined) throw invalid("SequenceNumber should not be passed for this iterator type");
    return type === "LATEST" ? shard.last + 1 : 0;
  }
  const sequence = text === undefined ? undefined : countOf(record, text);
  if (sequence === undefined || sequence < shard.start || sequence > shard.last) {
    throw invalid("Invalid SequenceNumber for the shard");
  }
  if (sequence <= shard.trimmedTo) throw trimmedDataError();
  return type === "AT_SEQUENCE_NUMBER" ? sequence : sequence + 1;
}

function onePage(records: readonly ShownRecord[], limit: number): readonly ShownRecord[] {
  let bytes = 0;
  const end = records.findIndex(({ text }, at) => {
    bytes += text.length;
    return at >= limit || (bytes > maxBytes && at > 0);
  });
  return end === -1 ? records : records.slice(0, end);
}
