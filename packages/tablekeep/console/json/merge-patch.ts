import { isObject, sameJson } from "./exact-json.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** What must be merged into `before` to make it `after`: null removes a member, lists are replaced as a whole. */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).flatMap(([key, value]): [string, unknown][] => {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (old !== undefined && sameJson(old, value)) return [];
    return [[key, isObject(old) && isObject(value) ? mergePatch(old, value) : value]];
  });
  return Object.fromEntries([...removed.map((key): [string, unknown] => [key, null]), ...changed]);
}
