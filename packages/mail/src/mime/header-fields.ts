import { extendedParameter } from "./extended-parameter.ts";

/** The header fields of a byte text, unfolded, in order, and what stands behind them. */
export interface Fields {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** More fields than that are not looked at. */
const maxFields = 1000;

/** Reads the fields at the beginning of a message or part. Names are in lower case. */
export function headerFields(data: string): Fields {
  const fields: [string, string][] = [];
  let at = 0;
  while (at < data.length) {
    const end = data.indexOf("\n", at);
    const stop = end < 0 ? data.length : end;
    const line = data.slice(at, data[stop - 1] === "\r" && stop > at ? stop - 1 : stop);
    const last = fields.at(-1);
    const colon = line.indexOf(":");
    if (line === "") return { fields, body: data.slice(stop + 1) };
    if ((line.startsWith(" ") || line.startsWith("\t")) && last !== undefined) last[1] += line;
    else if (colon > 0 && fields.length < maxFields)
      fields.push([line.slice(0, colon).trimEnd().toLowerCase(), line.slice(colon + 1).trim()]);
    at = stop + 1;
  }
  return { fields, body: "" };
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
