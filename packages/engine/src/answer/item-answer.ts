import type { AttributeValue, Item } from "@tablekeep/core";
import type { StoredItem } from "../item/stored-item.ts";
import { setOwn, type WireItem } from "../item/wire-value.ts";

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

  toJson(): string {
    return this.#stored ? (this.#source as StoredItem).json : JSON.stringify(this.#source);
  }

  /** A fresh object that shares nothing with the engine. */
  toItem(): Item {
    if (!this.#stored) return withBytes(this.#source as WireItem);
    const stored = this.#source as StoredItem;
    return stored.hasBytes ? withBytes(stored.item) : (JSON.parse(stored.json) as Item);
  }
}

/** A copy with base64 turned into bytes. */
function withBytes(item: WireItem): Item {
  const copy: Item = {};
  for (const name of Object.keys(item)) setOwn(copy, name, valueWithBytes(item[name] as object));
  return copy;
}

function valueWithBytes(value: object): AttributeValue {
  if ("B" in value) return { B: bytesOf(value.B as string) };
  if ("BS" in value) return { BS: (value.BS as string[]).map(bytesOf) };
  if ("M" in value) return { M: withBytes(value.M as WireItem) };
  if ("L" in value) return { L: (value.L as object[]).map(valueWithBytes) };
  return structuredClone(value) as AttributeValue;
}

function bytesOf(base64: string): Uint8Array {
  // A plain Uint8Array of its own memory: a slice of Buffer's pool would let a caller reach its neighbours.
  return Uint8Array.from(Buffer.from(base64, "base64"));
}
