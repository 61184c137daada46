import type { AttributeValue, DynamoPort, Item, Key } from "@tablekeep/core";

/**
 * One persistent actor on the Akka plugin 1.1.2 to 1.3.0, written from the plugin's rules and sharing no code with the
 * journal: which items it writes and in which requests, how it finds the highest number, which rows it replays. Nothing of
 * what it writes is conditional.
 */
export interface AkkaPluginOptions {
  readonly port: DynamoPort;
  readonly table: string;
  readonly id: string;
  /** @default 10 */
  readonly shards?: number;
  /** The order in which the groups of a batch arrive; the plugin sends them all at once. @default as they are */
  readonly shuffled?: <Each>(groups: readonly Each[]) => readonly Each[];
}

export interface ReplayedEvent {
  readonly sequenceNr: number;
  readonly payload: string;
  readonly writerUuid: string;
}

const bucketSize = 100;
const requestItems = 25;
let writers = 0;

export class AkkaPlugin {
  readonly #options: Required<AkkaPluginOptions>;
  readonly writerUuid = `akka-writer-${++writers}`;
  /** The last sequence number of the actor; 0 before its recovery. */
  lastSequenceNr = 0;

  constructor(options: AkkaPluginOptions) {
    this.#options = { shards: 10, shuffled: (groups) => groups, ...options };
  }

  /** Starts the actor: replays what there is, and continues after the highest number. */
  async recover(): Promise<readonly ReplayedEvent[]> {
    const events = await this.replay();
    this.lastSequenceNr = await this.highestSequenceNr();
    return events;
  }

  /** `persist`: one put, or where the number is a multiple of 100 one batch with the high mark. */
  async persist(payload: string): Promise<number> {
    const sequenceNr = this.lastSequenceNr + 1;
    const item = this.#eventItem(sequenceNr, payload);
    if (sequenceNr % bucketSize === 0) await this.#batchPut([item, this.#highMark(sequenceNr)]);
    else await this.#options.port.putItem({ TableName: this.#options.table, Item: item });
    this.lastSequenceNr = sequenceNr;
    return sequenceNr;
  }

  /** `persistAll`: batches of 25 items, all at once; the high mark is the last item where a bucket begins. */
  async persistAll(payloads: readonly string[]): Promise<{ readonly first: number; readonly last: number }> {
    const first = this.lastSequenceNr + 1;
    const last = first + payloads.length - 1;
    const items = payloads.map((payload, index) => ({
      ...this.#eventItem(first + index, payload),
      idx: number(index),
      cnt: number(payloads.length - 1),
    }));
    const crosses = Math.floor((first - 1) / bucketSize) !== Math.floor(last / bucketSize);
    const all: Item[] = crosses ? [...items, this.#highMark(last)] : items;
    const groups: Item[][] = [];
    for (let at = 0; at < all.length; at += requestItems) groups.push(all.slice(at, at + requestItems));
    const sent: PromiseSettledResult<void>[] = [];
    for (const group of this.#options.shuffled(groups))
      sent.push(...(await Promise.allSettled([this.#batchPut(group)])));
    for (const result of sent) if (result.status === "rejected") throw result.reason;
    this.lastSequenceNr = last;
    return { first, last };
  }

  /** `deleteMessages`: the low mark, then every number from the old low mark up; a delete that fails is only logged. */
  async deleteTo(asked: number): Promise<void> {
    const to = Math.min(asked, await this.highestSequenceNr());
    const lowest = await this.lowestSequenceNr();
    if (to + 1 <= lowest) return;
    const { port, table } = this.#options;
    await port.putItem({ TableName: table, Item: this.#lowMark(to + 1) });
    const keys: Key[] = [];
    for (let at = lowest; at <= to; at++) keys.push(this.#eventKey(at));
    for (let at = 0; at < keys.length; at += requestItems) {
      const requests = keys.slice(at, at + requestItems).map((key) => ({ DeleteRequest: { Key: key } }));
      await port.batchWriteItem({ RequestItems: { [table]: requests } }).catch(() => undefined);
    }
  }

  /** The highest high mark, then the highest number in its bucket; only an empty bucket makes it read the low mark. */
  async highestSequenceNr(): Promise<number> {
    const start = await this.#highestMark("SH");
    const rows = await this.#bucket(Math.floor(start / bucketSize));
    if (rows.length === 0) return Math.max(start, (await this.lowestSequenceNr()) - 1);
    return start + Math.max(...rows.map((row) => Number(row["num"]?.N)));
  }

  lowestSequenceNr(): Promise<number> {
    return this.#highestMark("SL");
  }

  /** All rows between the low mark and the highest number, without batches that are not whole and rows of old writers. */
  async replay(): Promise<readonly ReplayedEvent[]> {
    const from = Math.max(1, await this.lowestSequenceNr());
    const to = await this.highestSequenceNr();
    const rows: Item[] = [];
    for (let bucket = Math.floor(from / bucketSize); bucket * bucketSize <= to; bucket++) {
      for (const row of await this.#bucket(bucket)) {
        const sequenceNr = bucket * bucketSize + Number(row["num"]?.N);
        if (sequenceNr >= from && sequenceNr <= to) rows.push(row);
      }
    }
    return withoutOldWriters(wholeBatches(rows.map((row) => readRow(row))));
  }

  async #bucket(bucket: number): Promise<readonly Item[]> {
    const { port, table, id } = this.#options;
    const items: Item[] = [];
    let ExclusiveStartKey: Key | undefined;
    do {
      const page = await port.query({
        TableName: table,
        KeyConditionExpression: "par = :par",
        ExpressionAttributeValues: { ":par": { S: `journal-P-${id}-${bucket}` } },
        ConsistentRead: true,
        ExclusiveStartKey,
      });
      items.push(...(page.Items ?? []));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return items;
  }

  async #highestMark(kind: "SH" | "SL"): Promise<number> {
    const { port, table, id, shards } = this.#options;
    let highest = 0;
    for (let shard = 0; shard < shards; shard++) {
      const Key = { par: { S: `journal-${kind}-${id}-${shard}` }, num: number(0) };
      const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true });
      highest = Math.max(highest, Number(Item?.["seq"]?.N ?? 0));
    }
    return highest;
  }

  async #batchPut(items: readonly Item[]): Promise<void> {
    const { port, table } = this.#options;
    const requests = items.map((Item) => ({ PutRequest: { Item } }));
    await port.batchWriteItem({ RequestItems: { [table]: requests } });
  }

  #eventKey(sequenceNr: number): Key {
    const bucket = Math.floor(sequenceNr / bucketSize);
    return { par: { S: `journal-P-${this.#options.id}-${bucket}` }, num: number(sequenceNr % bucketSize) };
  }

  #eventItem(sequenceNr: number, payload: string): Item {
    return {
      ...this.#eventKey(sequenceNr),
      persistence_id: { S: this.#options.id },
      seq: number(sequenceNr),
      event: { B: Buffer.from(payload) },
      ev_ser_id: number(20),
      writer_uuid: { S: this.writerUuid },
    };
  }

  #highMark(sequenceNr: number): Item {
    const bucket = Math.floor(sequenceNr / bucketSize);
    return this.#mark("SH", bucket, bucket * bucketSize);
  }

  #lowMark(sequenceNr: number): Item {
    return this.#mark("SL", Math.floor(sequenceNr / bucketSize), sequenceNr);
  }

  #mark(kind: "SH" | "SL", bucket: number, value: number): Item {
    const { id, shards } = this.#options;
    return { par: { S: `journal-${kind}-${id}-${bucket % shards}` }, num: number(0), seq: number(value) };
  }
}

interface PluginRow extends ReplayedEvent {
  readonly index: number | undefined;
  readonly lastIndex: number;
}

/** What the plugin needs of a row, or it fails to recover the whole id. */
function readRow(item: Item): PluginRow {
  const { seq, persistence_id, writer_uuid, ev_ser_id, event, idx, cnt } = item;
  if (seq?.N === undefined || persistence_id?.S === undefined || writer_uuid?.S === undefined)
    throw new Error(`the plugin cannot read ${JSON.stringify(item)}`);
  // Akka 2.6 reads strings by 20, byte arrays by 4.
  if (ev_ser_id?.N !== "20" && ev_ser_id?.N !== "4") throw new Error(`no serializer with id ${ev_ser_id?.N}`);
  return {
    sequenceNr: Number(seq.N),
    payload: Buffer.from(event?.B ?? []).toString("utf8"),
    writerUuid: writer_uuid.S,
    index: cnt?.N === undefined ? undefined : Number(idx?.N),
    lastIndex: Number(cnt?.N ?? 0),
  };
}

/** Rows of a batch count once all of them have come, one after the other; anything else throws what was collected away. */
function wholeBatches(rows: readonly PluginRow[]): readonly PluginRow[] {
  const given: PluginRow[] = [];
  let batch: PluginRow[] = [];
  let end = 0;
  for (const row of rows) {
    if (row.index === undefined) {
      batch = [];
      given.push(row);
      continue;
    }
    const rowEnd = row.sequenceNr - row.index + row.lastIndex;
    if (batch.length > 0 && rowEnd !== end) batch = [];
    end = rowEnd;
    batch.push(row);
    if (row.sequenceNr !== end) continue;
    if (batch.length === row.lastIndex + 1) given.push(...batch);
    batch = [];
  }
  return given;
}

/** Akka's replay filter: a writer that another has followed does not come back. */
function withoutOldWriters(rows: readonly PluginRow[]): readonly ReplayedEvent[] {
  const old = new Set<string>();
  let current: string | undefined;
  return rows.filter(({ writerUuid }) => {
    if (old.has(writerUuid)) return false;
    if (current !== undefined && current !== writerUuid) old.add(current);
    current = writerUuid;
    return true;
  });
}

function number(value: number): AttributeValue {
  return { N: String(value) };
}
