import type { AttributeValue, Item } from "@tablekeep/core";
import { bytesSize } from "../values/item-size.ts";
import type { StoredItem } from "../values/stored-item.ts";
import type { WireItem } from "../values/wire-value.ts";

/**
 * An item in an answer. It can be had as JSON, for the wire, or as an object, for a caller in this process. A stored
 * item that nobody looked into goes to the wire as the text it was stored as.
 */
export class ItemAnswer {
  readonly #source: StoredItem | WireItem;
  readonly #stored: boolean;

  private constructor(source: StoredItem | WireItem, stored: boolean) {
    this.#source = source;
    this.#stored = stored;
  }

  static stored(item: StoredItem): ItemAnswer {
    return new ItemAnswer(item, true);
  }

  /** An item made for this answer: a projection, a key. */
  static built(item: WireItem): ItemAnswer {
    return new ItemAnswer(item, false);
  }

  /** How many characters {@link toJson} has, or a few more; 0 where that is not known without making it. */
  get length(): number {
    return this.#stored ? (this.#source as StoredItem).text.length : 0;
  }

  toJson(): string {
    return this.#stored ? (this.#source as StoredItem).json : JSON.stringify(this.#source);
  }

  /** A fresh object that shares nothing with the engine. */
  toItem(): Item {
    if (!this.#stored) {
      const item = JSON.parse(this.toJson()) as Item;
      reviveBytes(item);
      return item;
    }
    const stored = this.#source as StoredItem;
    const item = stored.fresh() as unknown as Item;
    if (stored.hasBytes) reviveBytes(item);
    return item;
  }
}

/** Turns base64 into bytes, in place. */
function reviveBytes(item: Item): void {
  // Only values are changed, never members set: a name of any kind stays what it is.
  for (const name of Object.keys(item)) reviveValue(item[name] as AttributeValue);
}

function reviveValue(value: AttributeValue): void {
  if (value.B !== undefined) value.B = bytesOf(value.B as unknown as string);
  else if (value.BS !== undefined) value.BS = (value.BS as unknown as string[]).map(bytesOf);
  else if (value.M !== undefined) reviveBytes(value.M);
  else if (value.L !== undefined) value.L.forEach(reviveValue);
}

/** Bytes of their own memory: a slice of Buffer's pool would let a caller reach its neighbours. */
function bytesOf(base64: string): Uint8Array {
  const bytes = new Uint8Array(bytesSize(base64));
  Buffer.from(bytes.buffer).write(base64, "base64");
  return bytes;
}
