import { byteText } from "./byte-text.ts";
import { decodeWords, headerText } from "./decode-text.ts";

/** One header field, unfolded but not decoded. */
export interface HeaderField {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
  /** Where the field starts and ends in the message, its last line end included. */
  readonly start: number;
  readonly end: number;
}

/** The header fields at the start of a message or part, given as a byte text, and the body after them. */
export interface Fields {
  readonly fields: readonly HeaderField[];
  readonly body: string;
  /** Where the body starts, and whether an empty line separates it from the fields. */
  readonly bodyAt: number;
  readonly separated: boolean;
}

/** Further fields of a received message are ignored. */
const maxFields = 1000;

const fieldStart = /^([^\s:]+)[ \t]*:/;

/**
 * Reads the header fields at the start of a message or part. If no line is a field, all of it is body. Without an empty line, the
 * body starts at the first line that is not a field; with one, such a line is ignored.
 */
export function headerFields(data: string, limit: number = maxFields): Fields {
  const fields: { name: string; value: string; start: number; end: number }[] = [];
  /** The first line that is not a field, and the number of fields before it. */
  let stray: { readonly at: number; readonly fields: number } | undefined;
  let at = 0;
  while (at < data.length) {
    const lineFeed = data.indexOf("\n", at);
    const stop = lineFeed < 0 ? data.length : lineFeed;
    const line = data.slice(at, data[stop - 1] === "\r" && stop > at ? stop - 1 : stop);
    const next = lineFeed < 0 ? data.length : lineFeed + 1;
    if (line === "") {
      if (fields.length === 0 && stray !== undefined) break;
      return { fields, body: data.slice(next), bodyAt: next, separated: true };
    }
    const last = fields.at(-1);
    const name = fieldStart.exec(line)?.[1];
    if ((line.startsWith(" ") || line.startsWith("\t")) && last !== undefined) {
      last.value += line;
      last.end = next;
    } else if (name === undefined) stray ??= { at, fields: fields.length };
    else if (fields.length < limit) {
      const value = line.slice(line.indexOf(":") + 1).trim();
      fields.push({ name: name.toLowerCase(), value, start: at, end: next });
    }
    at = next;
  }
  const bodyAt = stray?.at ?? data.length;
  return { fields: fields.slice(0, stray?.fields), body: data.slice(bodyAt), bodyAt, separated: false };
}

/** Returns the value of the first field of this name; "" if there is none. */
export function fieldOf({ fields }: Fields, name: string): string {
  return fields.find((field) => field.name === name)?.value ?? "";
}

/** A value such as `text/plain; charset=utf-8`: the part before the parameters, in lower case, and the parameters. */
export interface ParameterValue {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const parameter = /;\s*([^\s=;"]{1,100})\s*=\s*(?:"((?:[^"\\]|\\.){0,2000})"|([^\s;"]{0,2000}))/g;

/** Values that were parsed, because most messages have the same few. Senders choose the others. */
const parsedValues = new Map<string, ParameterValue>();
const maxParsedValues = 200;
const maxParsedLength = 200;

/** Parses a value with parameters. Skips malformed parameters. */
export function parameterValue(text: string): ParameterValue {
  if (text.length > maxParsedLength) return parseParameters(text);
  const known = parsedValues.get(text);
  if (known !== undefined) return known;
  // A slice would keep its whole message in memory.
  const copy = Buffer.from(text).toString();
  const parsed = parseParameters(copy);
  if (parsedValues.size >= maxParsedValues) parsedValues.clear();
  parsedValues.set(copy, parsed);
  return parsed;
}

function parseParameters(text: string): ParameterValue {
  const bounded = text.slice(0, 8000);
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain] of bounded.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "");
  }
  const extended = [...parameters.keys()].filter((key) => key.includes("*"));
  for (const base of new Set(extended.map((key) => key.slice(0, key.indexOf("*"))))) {
    const value = extendedParameter(parameters, base);
    if (value !== undefined) parameters.set(base, value);
  }
  const first = (bounded.split(";", 1)[0] ?? "").replaceAll(/\([^()]*\)/g, " ");
  return { value: first.trim().toLowerCase(), parameters };
}

/**
 * Returns the value of a parameter in the forms of RFC 2231, as Go reads it, as a byte text: `name*=charset'language'value`, or in
 * numbered pieces `name*0=…; name*1*=…`. Returns undefined if the parameter has neither form.
 */
export function extendedParameter(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  const single = parameters.get(`${name}*`);
  if (single !== undefined) return decodeExtended(single);
  let joined: string | undefined;
  for (let number = 0; ; number++) {
    const plain = parameters.get(`${name}*${number}`);
    const encoded = parameters.get(`${name}*${number}*`);
    if (plain === undefined && encoded === undefined) return joined;
    joined =
      (joined ?? "") +
      (plain ?? (number === 0 ? decodeExtended(encoded ?? "") : unescapeHex(encoded ?? "")) ?? "");
  }
}

/** Go supports these two charsets only. */
function decodeExtended(value: string): string | undefined {
  const [, charset = "", text] = /^([^']*)'[^']*'(.*)$/s.exec(value) ?? [];
  return text !== undefined && /^(?:us-ascii|utf-8)$/i.test(charset) ? unescapeHex(text) : undefined;
}

function unescapeHex(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Bytes at the start of a received message that are searched for its header. */
export const maxHeaderBytes = 262_144;

/**
 * Reads the headers of a message without decoding the rest of it: in order, duplicates kept, names in lower case. Reads at
 * most 1,000 headers, from the first 256 KiB.
 *
 * @example
 * const subject = readHeaders(message.raw).find(({ name }) => name === "subject")?.value;
 */
export function readHeaders(raw: Uint8Array): { readonly name: string; readonly value: string }[] {
  const { fields } = headerFields(byteText(raw.subarray(0, maxHeaderBytes)));
  return fields.map(({ name, value }) => ({ name, value: decodeWords(value) }));
}

/**
 * Reads the header fields of a message that is to be sent: all of them, however many, with their positions in the bytes. Values are
 * not decoded, because encoded words may contain commas and brackets that are not syntax.
 *
 * @example
 * const bcc = readHeaderFields(raw).filter(({ name }) => name === "bcc");
 * const copies = bcc.map(({ start, end }) => raw.subarray(start, end));
 */
export function readHeaderFields(raw: Uint8Array): HeaderField[] {
  const { fields } = headerFields(byteText(raw), Number.POSITIVE_INFINITY);
  return fields.map((field) => ({ ...field, value: headerText(field.value) }));
}

/** Further addresses in the headers of one message are not indexed. */
const maxAddresses = 100;

const address = /[^\s<>,;:"'()[\]\\]{1,256}@[^\s<>,;:"'()\\]{1,256}/g;

/** Returns the addresses in the values of headers, in lower case, without duplicates. */
export function addressesIn(values: readonly string[]): string[] {
  const found = new Set<string>();
  for (const value of values) {
    for (const [text] of value.slice(0, 65_536).matchAll(address)) {
      if (found.size >= maxAddresses) return [...found];
      found.add(text.toLowerCase());
    }
  }
  return [...found];
}
