import { extendedParameter } from "./extended-parameter.ts";

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
