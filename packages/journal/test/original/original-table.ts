import { scanItems } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";

/**
 * The original plugin's side of a bucketed table, and a plain view of its contents. Written from the plugin's rules;
 * nothing here is taken from the journal's own code.
 */
export const table = "events";
export const id = "p";

const bucketSize = 100;
const shards = 10;
const rowsPerRequest = 25;

/** What happens to one item of a request of the original's: written, or lost by a failed or partly processed request. */
export type Fate = "written" | "lost";

/** One row of an id, from any writer. */
export interface PlainRow {
  readonly number: number;
  readonly text: string;
  readonly writer: string;
  /** The write id: only our rows have one. */
  readonly wid: string | undefined;
  readonly first: number;
  readonly last: number;
  readonly inBatch: boolean;
  readonly staged: boolean;
  readonly tombstone: boolean;
}

/** The items of an id, read once. */
export interface PlainTable {
  readonly rows: ReadonlyMap<number, PlainRow>;
  /** The highest high mark and the highest low mark; 0 if there is none. */
  readonly high: number;
  readonly low: number;
  /** The write ids that commit records name, by the first number of their batch. */
  readonly commits: ReadonlyMap<number, string>;
}

export async function plainTable(port: DynamoPort): Promise<PlainTable> {
  const rows = new Map<number, PlainRow>();
  const commits = new Map<number, string>();
  let high = 0;
  let low = 0;
  for await (const item of scanItems(port, { TableName: table, ConsistentRead: true })) {
    const partition = item["par"]?.S ?? "";
    const sort = Number(item["num"]?.N);
    const bucket = /^journal-P-p-(\d+)$/.exec(partition)?.[1];
    if (bucket !== undefined) {
      const row = plainRow(item, Number(bucket) * bucketSize + sort);
      rows.set(row.number, row);
    } else if (partition.startsWith("journal-SH-p-")) high = Math.max(high, Number(item["seq"]?.N));
    else if (partition.startsWith("journal-SL-p-")) low = Math.max(low, Number(item["seq"]?.N));
    else if (partition === "journal-C-p") commits.set(sort, item["wid"]?.S ?? "");
  }
  return { rows: new Map([...rows].sort(([one], [two]) => one - two)), high, low, commits };
}

function plainRow(item: Item, number: number): PlainRow {
  const count = item["cnt"]?.N;
  const index = Number(item["idx"]?.N ?? 0);
  return {
    number,
    text: Buffer.from(item["event"]?.B ?? []).toString("utf8"),
    writer: item["writer_uuid"]?.S ?? "",
    wid: item["wid"]?.S,
    first: number - index,
    last: number - index + Number(count ?? 0),
    inBatch: count !== undefined,
    staged: item["staged"]?.BOOL === true,
    tombstone: item["tomb"]?.BOOL === true,
  };
}

const bucketOf = (number: number) => Math.floor(number / bucketSize);

export function eventKey(number: number): Item {
  return { par: { S: `journal-P-p-${bucketOf(number)}` }, num: { N: String(number % bucketSize) } };
}

function markItem(kind: "SH" | "SL", number: number, value: number): Item {
  return {
    par: { S: `journal-${kind}-p-${bucketOf(number) % shards}` },
    num: { N: "0" },
    seq: { N: String(value) },
  };
}

/** A row as the plugin 1.1.2 and later write it, with a string of Akka 2.6. */
export function originalItem(number: number, text: string, writer: string): Item {
  return {
    ...eventKey(number),
    persistence_id: { S: id },
    seq: { N: String(number) },
    event: { B: new Uint8Array(Buffer.from(text)) },
    writer_uuid: { S: writer },
    ev_ser_id: { N: "20" },
  };
}

/** Where the plugin believes an id to end: the last item in the bucket of the high mark, whatever it is. */
function originalHighest({ rows, high, low }: PlainTable): number {
  const inBucket = [...rows.keys()].filter((number) => bucketOf(number) === bucketOf(high));
  return inBucket.length > 0 ? Math.max(...inBucket) : Math.max(high, low - 1);
}

/** A write that the original has acknowledged. */
export interface AcknowledgedWrite {
  readonly writer: string;
  readonly first: number;
  readonly last: number;
}

/** The numbers of an acknowledged write that are not deleted; none if the original has overwritten a part of it. */
export function intactNumbers(
  { rows, low }: PlainTable,
  { writer, first, last }: AcknowledgedWrite,
): readonly number[] {
  const numbers: number[] = [];
  for (let number = Math.max(1, low, first); number <= last; number++) {
    if (rows.get(number)?.text !== `${writer}:${number}`) return [];
    numbers.push(number);
  }
  return numbers;
}

/** A persistent actor of the original's. Its writes are unconditional. */
export class OriginalActor {
  static #writers = 0;
  readonly #port: DynamoPort;
  readonly #writer: string;
  next: number;
  readonly #acknowledged: AcknowledgedWrite[];

  private constructor(port: DynamoPort, next: number, acknowledged: AcknowledgedWrite[]) {
    this.#port = port;
    this.#writer = `akka-${++OriginalActor.#writers}`;
    this.next = next;
    this.#acknowledged = acknowledged;
  }

  /** Starts, or restarts, the actor of an id. */
  static async start(port: DynamoPort, acknowledged: AcknowledgedWrite[]): Promise<OriginalActor> {
    const highest = originalHighest(await plainTable(port));
    return new OriginalActor(port, highest + 1, acknowledged);
  }

  /** `persist` of one event. At a multiple of 100 its mark goes along in a request that may be processed in part. */
  async persist(event: Fate, mark: Fate): Promise<void> {
    const number = this.next++;
    const text = `${this.#writer}:${number}`;
    const ends = number % bucketSize === 0;
    const isStored = !ends || event === "written";
    if (isStored) await this.#put(originalItem(number, text, this.#writer));
    if (ends && mark === "written") await this.#put(markItem("SH", number, number));
    if (isStored) this.#acknowledged.push({ writer: this.#writer, first: number, last: number });
  }

  /** `persistAll`: requests of 25 items. Unless all are written the actor fails, and must be started again. */
  async persistAll(size: number, fates: readonly Fate[]): Promise<boolean> {
    const first = this.next;
    const last = first + size - 1;
    const items = Array.from({ length: size }, (_unused, index) => ({
      ...originalItem(first + index, `${this.#writer}:${first + index}`, this.#writer),
      ...(size > 1 && { idx: { N: String(index) }, cnt: { N: String(size - 1) } }),
    }));
    if (bucketOf(first - 1) !== bucketOf(last)) items.push(markItem("SH", last, bucketOf(last) * bucketSize));
    let isWhole = true;
    let rows = 0;
    for (let at = 0; at < items.length; at += rowsPerRequest) {
      const request = items.slice(at, at + rowsPerRequest);
      // A mark without its row names sequence numbers that were never used: not the subject of this test.
      const isLost = fates[(at / rowsPerRequest) % fates.length] === "lost" || (at >= size && rows === 0);
      if (isLost) isWhole = false;
      else
        await this.#port.batchWriteItem({
          RequestItems: { [table]: request.map((Item) => ({ PutRequest: { Item } })) },
        });
      if (!isLost) rows += request.length;
    }
    this.next = last + 1;
    if (isWhole) this.#acknowledged.push({ writer: this.#writer, first, last });
    return isWhole;
  }

  /** `deleteMessages`: the low mark first, then the rows, of which a failed request may leave some. */
  async deleteTo(asked: number, rowsLeft: number): Promise<void> {
    const before = await plainTable(this.#port);
    const to = Math.min(asked, originalHighest(before));
    if (to + 1 <= before.low) return;
    await this.#put(markItem("SL", to + 1, to + 1));
    const doomed = [...before.rows.keys()].filter((number) => number <= to);
    for (const number of doomed.slice(0, Math.max(0, doomed.length - rowsLeft)))
      await this.#port.deleteItem({ TableName: table, Key: eventKey(number) });
  }

  async #put(item: Item): Promise<void> {
    await this.#port.putItem({ TableName: table, Item: item });
  }
}

/** Loses the high mark of the last bucket, or sets it back to the bucket before, as a late request of an old writer does. */
export async function spoilHighMark(port: DynamoPort, how: "lost" | "stale"): Promise<void> {
  const { high } = await plainTable(port);
  if (high === 0) return;
  const { par, num } = markItem("SH", high, high);
  if (how === "lost") await port.deleteItem({ TableName: table, Key: { par, num } as never });
  else
    await port.putItem({
      TableName: table,
      Item: { par, num, seq: { N: String(Math.max(0, high - bucketSize * shards)) } } as never,
    });
}

/** The marks of an id whose first events were all deleted. */
export async function beginAbove(port: DynamoPort, deletedTo: number): Promise<void> {
  if (deletedTo === 0) return;
  const last = bucketOf(deletedTo) * bucketSize;
  await port.putItem({ TableName: table, Item: markItem("SL", deletedTo + 1, deletedTo + 1) });
  if (last > 0) await port.putItem({ TableName: table, Item: markItem("SH", deletedTo, last) });
}

/** Our rows that were staged and never committed. */
export async function putDeadRows(
  port: DynamoPort,
  first: number,
  size: number,
  kept: number,
): Promise<void> {
  const from = Math.max(0, size - kept);
  for (let index = from; index < size; index++) {
    const Item = {
      ...originalItem(first + index, "dead", "dead-writer"),
      idx: { N: String(index) },
      cnt: { N: String(size - 1) },
      wid: { S: `dead-${first}-${size}` },
      staged: { BOOL: true },
    };
    await port.putItem({ TableName: table, Item });
  }
}
