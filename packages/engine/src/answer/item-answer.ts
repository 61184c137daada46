import { type AttributeValue, base64Size, type Item } from "@tablekeep/core";
import type { StoredItem } from "../values/stored-item.ts";
import { setOwn, type WireItem, type WireValue } from "../values/wire-value.ts";

/**
 * An item in an answer, available as JSON for the wire or as an object for a caller in this process. A stored item
 * that was never parsed goes to the wire as the text it was stored as.
 */
export class ItemAnswer {
  readonly #source: StoredItem | WireItem;
  readonly #stored: boolean;
  /** The attributes of a stored item that are shown. Undefined for all. */
  readonly #names: readonly string[] | undefined;

  private constructor(source: StoredItem | WireItem, stored: boolean, names?: readonly string[]) {
    this.#source = source;
    this.#stored = stored;
    this.#names = names;
  }

  /** Wraps a stored item. */
  static ofStored(item: StoredItem): ItemAnswer {
    return new ItemAnswer(item, true);
  }

  /** Wraps attributes of a stored item that it has, such as its keys. */
  static ofAttributes(item: StoredItem, names: readonly string[]): ItemAnswer {
    return new ItemAnswer(item, true, names);
  }

  /** Wraps an item made for this answer, such as a projection or a key. */
  static ofItem(item: WireItem): ItemAnswer {
    return new ItemAnswer(item, false);
  }

  /** The length of {@link toJson}, or a little more; 0 if it is not known without building it. */
  get length(): number {
    return this.#stored ? (this.#source as StoredItem).text.length : 0;
  }

  toJson(): string {
    if (this.#names !== undefined) return JSON.stringify((this.#source as StoredItem).parseSome(this.#names));
    return this.#stored ? (this.#source as StoredItem).json : JSON.stringify(this.#source);
  }

  /** Returns a new object that shares nothing with the engine. */
  toItem(): Item {
    if (!this.#stored) {
      const item = JSON.parse(this.toJson()) as Item;
      reviveBytes(item);
      return item;
    }
    const stored = this.#source as StoredItem;
    const item = (this.#names === undefined
      ? stored.parse()
      : stored.parseSome(this.#names)) as unknown as Item;
    if (stored.hasBytes) reviveBytes(item);
    return item;
  }
}

/** Returns a copy of a parsed item that shares nothing with the engine. */
function copyOfItem(item: WireItem): Item {
  const copy: Item = {};
  for (const name of Object.keys(item)) setOwn(copy, name, copyOfValue(item[name] as WireValue));
  return copy;
}

/**
 * Returns an item for reading only. Unlike a copy, it shares its attributes with the engine, and decodes bytes only when they are read.
 */
export function viewOfItem(item: WireItem): Readonly<Item> {
  const view = { ...item } as Item;
  for (const name of Object.keys(item)) {
    const value = item[name] as WireValue;
    if ("S" in value || "N" in value) continue;
    setOwn(view, name, "B" in value ? (new EncodedBytes(value.B) as AttributeValue) : copyOfValue(value));
  }
  return view;
}

/** A binary value that is decoded when it is read. */
class EncodedBytes {
  readonly #base64: string;

  constructor(base64: string) {
    this.#base64 = base64;
  }

  get B(): Uint8Array {
    return Buffer.from(this.#base64, "base64");
  }
}

function copyOfValue(value: WireValue): AttributeValue {
  if ("S" in value) return { S: value.S };
  if ("N" in value) return { N: value.N };
  if ("B" in value) return { B: decodeBase64(value.B) };
  if ("BS" in value) return { BS: value.BS.map(decodeBase64) };
  if ("SS" in value) return { SS: [...value.SS] };
  if ("NS" in value) return { NS: [...value.NS] };
  if ("M" in value) return { M: copyOfItem(value.M) };
  return "L" in value ? { L: value.L.map(copyOfValue) } : { ...value };
}

/** Decodes base64 into bytes, in place. */
function reviveBytes(item: Item): void {
  // Changes values only and sets no members, so a name such as `__proto__` is safe.
  for (const name of Object.keys(item)) reviveValue(item[name] as AttributeValue);
}

function reviveValue(value: AttributeValue): void {
  if (value.B !== undefined) value.B = decodeBase64(value.B as unknown as string);
  else if (value.BS !== undefined) value.BS = (value.BS as unknown as string[]).map(decodeBase64);
  else if (value.M !== undefined) reviveBytes(value.M);
  else if (value.L !== undefined) value.L.forEach(reviveValue);
}

/** Below this many characters, copying bytes out of Buffer's pool takes a third of the time of allocating memory for them alone. */
const shortBase64 = 80;

/** Decodes into separate memory: a slice of Buffer's pool would expose its neighbors to the caller. */
function decodeBase64(base64: string): Uint8Array {
  if (base64.length < shortBase64) return new Uint8Array(Buffer.from(base64, "base64"));
  const bytes = new Uint8Array(base64Size(base64));
  Buffer.from(bytes.buffer).write(base64, "base64");
  return bytes;
}
