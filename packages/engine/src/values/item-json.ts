import { setOwn, type WireItem, type WireValue } from "./wire-value.ts";

/** From this many bytes per attribute, joining strings is faster than `JSON.stringify`. */
const longAttribute = 100;

/**
 * Returns the JSON of a checked item of `size` bytes, identical to that of `JSON.stringify`, which copies strings
 * character by character. Long strings without anything to escape are joined as they are.
 */
export function itemJson(item: WireItem, size: number): string {
  const names = Object.keys(item);
  if (size < names.length * longAttribute) return JSON.stringify(item);
  let json = "";
  for (const name of names) {
    json += `${json === "" ? "{" : ","}${quoted(name)}:${valueJson(item[name] as WireValue)}`;
  }
  return json === "" ? "{}" : `${json}}`;
}

function valueJson(value: WireValue): string {
  if ("S" in value) return `{"S":${quoted(value.S)}}`;
  // Numbers in normal form and base64 need no escapes.
  if ("N" in value) return `{"N":"${value.N}"}`;
  if ("B" in value) return `{"B":"${value.B}"}`;
  return JSON.stringify(value);
}

function quoted(text: string): string {
  return needsNoEscape(text) ? `"${text}"` : JSON.stringify(text);
}

/** Control characters, by exclusion of all others: linters reject control characters in a pattern. */
const controls = /[^ -\uffff]/;

/**
 * Returns whether a string can appear in JSON as it is. Searching two characters and one range is faster than one
 * search for all.
 */
function needsNoEscape(text: string): boolean {
  if (text.includes('"') || text.includes("\\") || controls.test(text)) return false;
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** The characters that decide how to read on. */
const quote = 34;
const comma = 44;
const bracket = 93;
const letterB = 66;
const letterL = 76;
const letterM = 77;
const letterN = 78;
const letterO = 79;
const letterS = 83;
const letterT = 116;

/**
 * Parses an item from the JSON that `JSON.stringify` makes of a checked one, with the result of `JSON.parse`.
 * `JSON.parse` looks at every character; this jumps from quote to quote, and long strings become slices of `text`
 * without a copy. JSON with escapes is left to `JSON.parse`.
 */
export function parseItem(text: string, from: number): WireItem {
  if (text.indexOf("\\", from) !== -1) return JSON.parse(text.slice(from)) as WireItem;
  return new PlainJsonReader(text, from).map();
}

/** Like {@link parseItem}, for some attributes that the item has: what follows the last of them is not parsed. */
export function parseAttributes(text: string, from: number, names: readonly string[]): WireItem {
  if (text.indexOf("\\", from) === -1) return new PlainJsonReader(text, from).some(names);
  const item = JSON.parse(text.slice(from)) as WireItem;
  const found: Record<string, WireValue> = {};
  for (const name of names) setOwn(found, name, item[name] as WireValue);
  return found;
}

/**
 * Names of attributes that were parsed recently. Items of a table have the same names at the same positions, and V8 sets a
 * property much faster by a string that was a property's name before than by a new slice.
 */
const recentNames: string[] = new Array(512).fill("");
const longestRecentName = 64;

/** Returns the string that V8 keeps for a property of this name. */
function asPropertyName(name: string): string {
  return Object.keys({ [name]: true })[0] as string;
}

/** Parses JSON without escapes and white space. */
class PlainJsonReader {
  readonly #text: string;
  /** The position of the next character. */
  #at: number;
  /** Names parsed so far. */
  #names = 0;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** `{"name":{…},…}` */
  map(): WireItem {
    const map: Record<string, WireValue> = {};
    const text = this.#text;
    this.#at++;
    if (text.charCodeAt(this.#at) !== quote) {
      this.#at++;
      return map;
    }
    do {
      const name = this.#name();
      setOwn(map, name, this.#value());
      this.#at++;
    } while (text.charCodeAt(this.#at - 1) === comma);
    return map;
  }

  /** The next name, up to the value after it. Returns the string of an earlier item where it is the same. */
  #name(): string {
    const text = this.#text;
    const start = this.#at + 1;
    const first =
      text.charCodeAt(start) + (text.charCodeAt(start + 1) << 6) + (text.charCodeAt(start + 2) << 12);
    const slot = Math.imul(first + this.#names++ * 77, 0x9e3779b1) >>> 23;
    const known = recentNames[slot] as string;
    if (text.charCodeAt(start + known.length) === quote && text.startsWith(known, start)) {
      this.#at = start + known.length + 2;
      return known;
    }
    const end = text.indexOf('"', start);
    this.#at = end + 2;
    const name = text.slice(start, end);
    if (name.length <= longestRecentName) recentNames[slot] = asPropertyName(name);
    return name;
  }

  /** The attributes with these names, in the order of the names. */
  some(names: readonly string[]): WireItem {
    const text = this.#text;
    const values: (WireValue | undefined)[] = names.map(() => undefined);
    this.#at++;
    for (let missing = names.length; missing > 0; ) {
      const end = text.indexOf('"', this.#at + 1);
      const place = names.indexOf(text.slice(this.#at + 1, end));
      this.#at = end + 2;
      const value = this.#value();
      this.#at++;
      if (place >= 0) {
        values[place] = value;
        missing--;
      }
    }
    const found: Record<string, WireValue> = {};
    for (const [at, name] of names.entries()) setOwn(found, name, values[at] as WireValue);
    return found;
  }

  /** `{"S":"…"}` and the like. Two letters determine the type. */
  #value(): WireValue {
    const first = this.#text.charCodeAt(this.#at + 2);
    const second = this.#text.charCodeAt(this.#at + 3);
    if (second === quote) {
      this.#at += 5;
      const value = this.#single(first);
      this.#at++;
      return value;
    }
    const value = second === letterS ? this.#set(first) : this.#constant(second);
    this.#at++;
    return value;
  }

  #single(type: number): WireValue {
    if (type === letterS) return { S: this.#string() };
    if (type === letterN) return { N: this.#string() };
    if (type === letterM) return { M: this.map() };
    return type === letterL ? { L: this.#list() } : { B: this.#string() };
  }

  #set(type: number): WireValue {
    this.#at += 6;
    const elements: string[] = [];
    do {
      this.#at++;
      elements.push(this.#string());
    } while (this.#text.charCodeAt(this.#at) === comma);
    this.#at++;
    if (type === letterS) return { SS: elements };
    return type === letterB ? { BS: elements } : { NS: elements };
  }

  /** `{"BOOL":true}`, `{"NULL":true}` */
  #constant(second: number): WireValue {
    const isTrue = this.#text.charCodeAt(this.#at + 8) === letterT;
    this.#at += isTrue ? 12 : 13;
    return second === letterO ? { BOOL: isTrue } : { NULL: isTrue };
  }

  #list(): WireValue[] {
    const elements: WireValue[] = [];
    this.#at++;
    if (this.#text.charCodeAt(this.#at) === bracket) {
      this.#at++;
      return elements;
    }
    do {
      elements.push(this.#value());
      this.#at++;
    } while (this.#text.charCodeAt(this.#at - 1) === comma);
    return elements;
  }

  #string(): string {
    const start = this.#at + 1;
    const end = this.#text.indexOf('"', start);
    this.#at = end + 1;
    return this.#detach(start, end);
  }

  /**
   * A slice keeps all of `text` in memory. A small part of it is copied, so that a caller that keeps the keys of many
   * large items does not keep the items.
   */
  #detach(start: number, end: number): string {
    const slice = this.#text.slice(start, end);
    const length = end - start;
    return length < 13 || length * 4 >= this.#text.length ? slice : ` ${slice}`.slice(1);
  }
}
