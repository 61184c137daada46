/** The expected results of reads: naive, from the items themselves, without any code of the package. */
import type { AttributeValue, Item } from "@tablekeep/core";
import type { ShadowModel } from "../../src/index.ts";
import type { Kind } from "./mixed-tables.ts";

/** A document as text with sorted keys, from attribute values. */
export function textOf(value: AttributeValue | undefined): string {
  if (value === undefined || value.NULL !== undefined) return "null";
  if (value.S !== undefined) return JSON.stringify(value.S);
  if (value.N !== undefined) return value.N;
  if (value.BOOL !== undefined) return String(value.BOOL);
  if (value.L !== undefined) return `[${value.L.map(textOf).join()}]`;
  const members = Object.entries(value.M ?? {}).map(([name, each]) => [name, textOf(each)] as const);
  return objectText(members);
}

function objectText(members: readonly (readonly [string, string])[]): string {
  const sorted = members.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`;
}

/** The same for a value that the package returns. */
export function printed(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (Array.isArray(value)) return `[${value.map(printed).join()}]`;
  if (typeof value === "object")
    return objectText(Object.entries(value).map(([name, each]) => [name, printed(each)] as const));
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

export type Read =
  | { readonly error: string }
  | {
      readonly version: number;
      readonly time: string;
      readonly token: string;
      readonly reported: AttributeValue | undefined;
      readonly desired: AttributeValue | undefined;
    };

export function readItem(item: Item): Read {
  const get = (name: string) =>
    Object.entries(item).find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
  const n = get("Version")?.N;
  if (n === undefined || !/^\d+$/.test(n)) return { error: "SHADOW_ITEM_CORRUPT" };
  if (BigInt(n) > 9007199254740991n) return { error: "SHADOW_VERSION_UNSAFE" };
  const time = get("TimeStamp")?.N ?? "0";
  if (!/^\d+$/.test(time)) return { error: "SHADOW_ITEM_CORRUPT" };
  return {
    version: Number(n),
    time,
    token: get("ClientToken")?.S ?? "",
    reported: get("Reported"),
    desired: get("Desired"),
  };
}

/** What is desired and not reported, as text; undefined where there is nothing. AWS's rule, key by key. */
function deltaText(
  desired: AttributeValue | undefined,
  reported: AttributeValue | undefined,
): string | undefined {
  if (desired?.M === undefined) return undefined;
  const members = Object.entries(desired.M).flatMap(([name, wanted]): (readonly [string, string])[] => {
    const has = reported?.M !== undefined && Object.hasOwn(reported.M, name) ? reported.M[name] : undefined;
    if (has === undefined) return [[name, textOf(wanted)]];
    if (wanted.M !== undefined && has.M !== undefined) {
      const inner = deltaText(wanted, has);
      return inner === undefined ? [] : [[name, inner]];
    }
    return textOf(wanted) === textOf(has) ? [] : [[name, textOf(wanted)]];
  });
  return members.length === 0 ? undefined : objectText(members);
}

/** The state of a shadow as the manager shows it: halves that are maps, and the difference. */
export function stateText(reads: readonly Exclude<Read, { error: string }>[], kindsRead: readonly Kind[]) {
  const half = (name: "reported" | "desired") => {
    const at = kindsRead.findIndex((kind) => kind === "combined" || kind === name);
    return reads[at]?.[name];
  };
  const [reported, desired] = [half("reported"), half("desired")];
  const members = [
    ...(desired?.M === undefined ? [] : [["desired", textOf(desired)] as const]),
    ...(reported?.M === undefined ? [] : [["reported", textOf(reported)] as const]),
  ];
  return { state: objectText(members), delta: deltaText(desired, reported) };
}

/** The expected result of reading one shadow. */
export function expectedRead(
  items: ReadonlyMap<string, Item>,
  id: string,
  name: string,
  shadowModel: ShadowModel,
) {
  const wanted: readonly Kind[] = shadowModel === "combined" ? ["combined"] : ["reported", "desired"];
  const found = wanted.flatMap((kind) => {
    const item = items.get(JSON.stringify([id, name, kind]));
    return item === undefined ? [] : [{ kind, read: readItem(item) }];
  });
  if (found.length === 0) return { error: "SHADOW_NOT_FOUND" } as const;
  for (const { read } of found) if ("error" in read) return read;
  const reads = found.map(({ read }) => read as Exclude<Read, { error: string }>);
  return { reads, kinds: found.map(({ kind }) => kind) };
}
