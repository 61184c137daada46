import { itemJson, parseItem } from "./item-json.ts";
import type { WireItem } from "./wire-value.ts";

/** Of the head: its end, and the digits of base 36. */
const headEnd = 124;
const digitZero = 48;
const letterA = 97;

/**
 * An item as it lies in storage: a short head and the item's JSON. The head holds what paging and capacity need, so
 * that an item that is only passed on is never parsed.
 *
 *     b2s|{"pk":{"S":"a"},"data":{"B":"AQI="}}
 *     │└┬┘└ JSON, bytes as base64
 *     │ └ DynamoDB's size of the item, base 36
 *     └ b: holds bytes somewhere; -: does not
 */
export class StoredItem {
  readonly text: string;
  /** Bytes as DynamoDB counts them. */
  readonly size: number;
  readonly #jsonAt: number;
  #parsed: WireItem | undefined;

  constructor(text: string) {
    let at = 1;
    let size = 0;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === headEnd) break;
      size = size * 36 + code - (code < letterA ? digitZero : letterA - 10);
    }
    this.text = text;
    this.size = size;
    this.#jsonAt = at + 1;
  }

  /** Packs a checked item. */
  static pack(item: WireItem, size: number, hasBytes: boolean): StoredItem {
    const stored = new StoredItem(`${hasBytes ? "b" : "-"}${size.toString(36)}|${itemJson(item, size)}`);
    stored.#parsed = item;
    return stored;
  }

  /** Whether a value in it, at any depth, is of type B or BS. */
  get hasBytes(): boolean {
    return this.text.charCodeAt(0) === 98;
  }

  get json(): string {
    return this.text.slice(this.#jsonAt);
  }

  /** The item taken apart anew, for a caller who may write to it. */
  fresh(): WireItem {
    return parseItem(this.text, this.#jsonAt);
  }

  /** The item taken apart. Shared by all who ask: never written to. */
  get item(): WireItem {
    this.#parsed ??= this.fresh();
    return this.#parsed;
  }
}
