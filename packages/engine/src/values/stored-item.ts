import { itemJson, parseAttributes, parseItem } from "./item-json.ts";
import type { WireItem } from "./wire-value.ts";

/** The end of the head, and the digits of base 36. */
const headEnd = 124;
const digitZero = 48;
const letterA = 97;

/**
 * An item as it is stored: a short head and the item's JSON. The head has what paging and capacity need, so that an
 * item that is only passed on is never parsed.
 *
 *     b2s|{"pk":{"S":"a"},"data":{"B":"AQI="}}
 *     │└┬┘└ JSON, bytes as base64
 *     │ └ DynamoDB's size of the item, base 36
 *     └ b: contains bytes somewhere; -: does not
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

  /** True if a value in it, at any depth, is of type B or BS. */
  get hasBytes(): boolean {
    return this.text.charCodeAt(0) === 98;
  }

  get json(): string {
    return this.text.slice(this.#jsonAt);
  }

  /** Parses the item again, for a caller that may change it. */
  parse(): WireItem {
    return parseItem(this.text, this.#jsonAt);
  }

  /** Parses some attributes that the item has, for a caller that may change them. */
  parseSome(names: readonly string[]): WireItem {
    return parseAttributes(this.text, this.#jsonAt, names);
  }

  /** The parsed item. It is shared: never change it. */
  get item(): WireItem {
    this.#parsed ??= this.parse();
    return this.#parsed;
  }
}
