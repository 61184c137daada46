import { byteText } from "./byte-text.ts";
import { decodeWords } from "./decode-text.ts";

/** The header fields of a byte text, unfolded, in order, and what follows them. */
export interface Fields {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Where the body begins, and whether an empty line separates it from the fields. */
  readonly bodyAt: number;
  readonly separated: boolean;
}

/** Further fields are ignored. */
const maxFields = 1000;

const field = /^([^\s:]+)[ \t]*:/;

/**
 * Reads the fields at the beginning of a message or part. Names are in lower case. A text without any field is all body, and
 * where the empty line is missing the body begins with the first line that is not a field. Otherwise such a line is ignored.
 */
export function headerFields(data: string): Fields {
  const fields: [string, string][] = [];
  /** The first line that is not a field, and how many fields stand before it. */
  let stray: { readonly at: number; readonly fields: number } | undefined;
  let at = 0;
  while (at < data.length) {
    const end = data.indexOf("\n", at);
    const stop = end < 0 ? data.length : end;
    const line = data.slice(at, data[stop - 1] === "\r" && stop > at ? stop - 1 : stop);
    const last = fields.at(-1);
    const name = field.exec(line)?.[1];
    if (line === "") {
      if (fields.length === 0 && stray !== undefined) break;
      return { fields, body: data.slice(stop + 1), bodyAt: stop + 1, separated: true };
    }
    if ((line.startsWith(" ") || line.startsWith("\t")) && last !== undefined) last[1] += line;
    else if (name === undefined) stray ??= { at, fields: fields.length };
    else if (fields.length < maxFields)
      fields.push([name.toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]);
    at = stop + 1;
  }
  const bodyAt = stray?.at ?? data.length;
  return { fields: fields.slice(0, stray?.fields), body: data.slice(bodyAt), bodyAt, separated: false };
}

/** The first field of this name; "" if there is none. */
export function fieldOf({ fields }: Fields, name: string): string {
  return fields.find(([each]) => each === name)?.[1] ?? "";
}

/** A value such as `text/plain; charset=utf-8`: what it says first, in lower case, and its parameters. */
export interface ParameterValue {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const parameter = /;\s*([^\s=;"]{1,100})\s*=\s*(?:"((?:[^"\\]|\\.){0,2000})"|([^\s;"]{0,2000}))/g;

/** Reads a value with parameters, forgiving what is malformed. */
export function parameterValue(text: string): ParameterValue {
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
  return { value: (bounded.split(";", 1)[0] ?? "").trim().toLowerCase(), parameters };
}

/**
 * The value of a parameter in the forms of RFC 2231, as Go reads it: `name*=charset'language'value`, or in numbered pieces
 * `name*0=…; name*1*=…`; undefined if it is in neither. Gives a byte text.
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

/** Go knows two charsets. */
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

/** Bytes of a message that may contain headers. */
const maxHeaderBytes = 262_144;

/**
 * Reads the headers of a message without decoding the rest of it: in order, duplicates kept, names in lower case. At
 * most 1,000, from the first 256 KiB.
 */
export function readHeaders(raw: Uint8Array): { readonly name: string; readonly value: string }[] {
  const { fields } = headerFields(byteText(raw.subarray(0, maxHeaderBytes)));
  return fields.map(([name, value]) => ({ name, value: decodeWords(value) }));
}

/** More addresses than that in the headers of one message are not indexed. */
const maxAddresses = 100;

const address = /[^\s<>,;:"'()[\]\\]{1,256}@[^\s<>,;:"'()\\]{1,256}/g;

/** The addresses in the values of headers, in lower case, each once. */
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
