import { readFileSync } from "node:fs";
import type { AttributeValue, Item } from "@tablekeep/core";
import { type DocumentValue, parseJson } from "../src/index.ts";

/** A result of the original, as it is listed. */
export interface GoResult {
  readonly id: string;
  readonly name: string;
  readonly modelType: number;
  readonly version?: number;
  readonly timestamp?: string;
  readonly clientToken?: string;
  readonly modelText?: string;
  readonly error?: { readonly code: number | null };
}

/** What the original read, listed and merged. */
export interface GoExpected {
  readonly reads: readonly (Pick<GoResult, "id" | "name" | "modelType"> & {
    readonly results: readonly GoResult[];
  })[];
  readonly lists: readonly {
    readonly list: string;
    readonly options: { readonly id: string; readonly token: string };
    readonly items: readonly GoResult[] | null;
  }[];
  readonly steps: readonly GoStep[];
}

export interface GoStep {
  readonly call: string;
  readonly step: string;
  readonly old?: unknown;
  readonly new?: unknown;
  readonly merged?: unknown;
  readonly desiredBefore?: unknown;
  readonly desiredAfter?: unknown;
  readonly acknowledged?: readonly string[] | null;
  readonly log?: Readonly<Record<string, { readonly op: string; readonly plain?: boolean }>>;
}

const folder = new URL("./fixtures/godeviceshadow/", import.meta.url);

export const goExpected: GoExpected = JSON.parse(readFileSync(new URL("expected.json", folder), "utf8"));

/** The items of the table that the original wrote. */
export const goItems: readonly Item[] = (
  JSON.parse(readFileSync(new URL("table.json", folder), "utf8")) as { Items: Record<string, unknown>[] }
).Items.map((item) =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, withBytes(value)])),
);

/** JSON has bytes as base64. */
function withBytes(value: unknown): AttributeValue {
  const [tag, inner] = Object.entries(value as Record<string, unknown>)[0] ?? ["", undefined];
  const bytes = (text: unknown) => new Uint8Array(Buffer.from(String(text), "base64"));
  if (tag === "B") return { B: bytes(inner) };
  if (tag === "BS") return { BS: (inner as string[]).map(bytes) };
  if (tag === "L") return { L: (inner as unknown[]).map(withBytes) };
  if (tag === "M")
    return {
      M: Object.fromEntries(Object.entries(inner as object).map(([key, each]) => [key, withBytes(each)])),
    };
  return value as AttributeValue;
}

/** JSON names of fields whose Go name is not the same in another case. */
const fieldNames: Readonly<Record<string, string>> = { tz: "TimeZone", fw: "Firmware" };

/**
 * Fields where Go's JSON shows something else than the item holds: a type with its own text, a time that is stored as a
 * number, a field that is never stored, and a number that Go rounds when it reads it.
 */
const otherwiseInGo = new Set(["level", "unix", "ignored", "nullemp", "TextKeys", "anyMap.n", "negZero"]);

/** Where our value differs from Go's JSON, by path. */
export function differences(
  ours: DocumentValue | undefined,
  go: DocumentValue,
  path: readonly string[] = [],
): string[] {
  if (otherwiseInGo.has(path.slice(-2).join(".")) || otherwiseInGo.has(path.at(-1) ?? "")) return [];
  if (go !== null && typeof go === "object" && !Array.isArray(go)) {
    return Object.entries(go).flatMap(([key, value]) => {
      // The fields of an embedded struct are those of its parent.
      const found = key === "base" ? ours : fieldOf(ours, key);
      return differences(found, value, [...path, key]);
    });
  }
  // Go stores an array of bytes as bytes, and writes its JSON as numbers.
  if (ours instanceof Uint8Array && Array.isArray(go)) return differences([...ours], go, path);
  return asText(ours) === asText(go) ? [] : [`${path.join(".")}: ${asText(ours)} instead of ${asText(go)}`];
}

function fieldOf(object: DocumentValue | undefined, key: string): DocumentValue | undefined {
  const fields = (object ?? {}) as Record<string, DocumentValue>;
  const wanted = (fieldNames[key] ?? key).toLowerCase();
  const name =
    Object.keys(fields).find((each) => each === key) ??
    Object.keys(fields).find((each) => each.toLowerCase() === wanted);
  return name === undefined ? undefined : fields[name];
}

function asText(value: DocumentValue | undefined): string {
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString("base64"));
  if (value instanceof Set) return asText([...value]);
  if (Array.isArray(value)) return `[${value.map(asText).join(",")}]`;
  if (value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype)
    return `{${Object.entries(value)
      .map(([key, each]) => `${key.toLowerCase()}:${asText(each as DocumentValue)}`)
      .toSorted()
      .join(",")}}`;
  return String(typeof value === "string" ? JSON.stringify(value) : value);
}

/** The JSON text of a model, exactly. */
export const goModel = (text: string): DocumentValue => parseJson(text);
