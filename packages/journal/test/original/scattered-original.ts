import { scanItems } from "@tablekeep/client";
import type { AttributeValue, DynamoPort, Item } from "@tablekeep/core";

/**
 * The plugin 0.x on a scattered table, and a plain view of its contents. Written from the plugin's rules; nothing here
 * is taken from the journal's own code.
 */
export const table = "events";
export const id = "p";
export const shards = 10;

const text = (value: string): AttributeValue => ({ S: value });
const number = (value: number): AttributeValue => ({ N: String(value) });
const eventKey = (sequenceNr: number) => ({ key: text(`journal-P-${id}-${sequenceNr}`) });

export type Fate = "written" | "lost";

/** One persistent actor. Every message goes with its own high mark; either may be lost. Nothing is conditional. */
export class ScatteredActor {
  readonly #port: DynamoPort;
  next: number;

  private constructor(port: DynamoPort, next: number) {
    this.#port = port;
    this.next = next;
  }

  static async start(port: DynamoPort): Promise<ScatteredActor> {
    return new ScatteredActor(port, (await scatteredTable(port)).high + 1);
  }

  async persist(event: Fate, mark: Fate): Promise<void> {
    const sequenceNr = this.next++;
    if (event === "written") await this.#put(messageItem(sequenceNr, `a-${sequenceNr}`));
    if (mark === "written")
      await this.#put({
        key: text(`journal-SH-${id}-${sequenceNr % shards}`),
        sequenceNr: number(sequenceNr),
      });
  }

  /** A soft deletion begins at 0, and makes a stub of a message that is not there. */
  async deleteSoftly(to: number): Promise<void> {
    for (let at = 0; at <= to; at++) {
      await this.#port.updateItem({
        TableName: table,
        Key: eventKey(at),
        UpdateExpression: "SET deleted = :true",
        ExpressionAttributeValues: { ":true": text("true") },
      });
      await this.#put({ key: text(`journal-SL-${id}-${at % shards}`), sequenceNr: number(at) });
    }
  }

  /** A permanent deletion leaves nothing. */
  async deleteForGood(to: number): Promise<void> {
    for (let at = 0; at <= to; at++) await this.#port.deleteItem({ TableName: table, Key: eventKey(at) });
  }

  async #put(item: Item): Promise<void> {
    await this.#port.putItem({ TableName: table, Item: item });
  }
}

/** A row as Akka 2.3 writes it: a PersistentMessage with a byte array. */
function messageItem(sequenceNr: number, payload: string): Item {
  const bytes = Buffer.from(payload);
  const inner = Buffer.concat([Buffer.from([0x08, 4, 0x12, bytes.length]), bytes]);
  const message = Buffer.concat([
    Buffer.from([0x0a, inner.length]),
    inner,
    Buffer.from([0x10, ...varint(sequenceNr), 0x1a, id.length]),
    Buffer.from(id),
    Buffer.from([0x20, 0, 0x30, 0, 0x40, 0]),
  ]);
  return { ...eventKey(sequenceNr), payload: { B: new Uint8Array(message) }, deleted: text("false") };
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)];
}

export interface ScatteredRow {
  readonly number: number;
  readonly ours: boolean;
  readonly deleted: boolean;
}

export interface ScatteredTable {
  /** Rows with an event, by number, without tombstones. */
  readonly rows: ReadonlyMap<number, ScatteredRow>;
  readonly high: number;
  /** The low mark that we wrote; 0 if none. */
  readonly low: number;
}

export async function scatteredTable(port: DynamoPort): Promise<ScatteredTable> {
  const rows = new Map<number, ScatteredRow>();
  let high = 0;
  let low = 0;
  for await (const item of scanItems(port, { TableName: table, ConsistentRead: true })) {
    const key = item["key"]?.S ?? "";
    const sequenceNr = Number(/^journal-P-p-(\d+)$/.exec(key)?.[1] ?? 0);
    if (key.startsWith("journal-SH-")) high = Math.max(high, Number(item["sequenceNr"]?.N));
    else if (key === "journal-W-p") low = Number(item["low"]?.N ?? 0);
    else if (sequenceNr > 0 && item["payload"] !== undefined)
      rows.set(sequenceNr, {
        number: sequenceNr,
        ours: item["wid"] !== undefined,
        deleted: item["deleted"]?.S === "true",
      });
  }
  return { rows: new Map([...rows].sort(([one], [two]) => one - two)), high, low };
}
