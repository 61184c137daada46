import type { Item, Key } from "@tablekeep/core";
import { ShadowError } from "../model/shadow-error.ts";

/** The partition of all groups. */
export const groupPartition = "FL#groups";

/** A stored group. Things belong to a generation, so that those of a deleted group are not in the next one with its name. */
export interface StoredGroup {
  readonly name: string;
  /** `deleting`: its things are being removed. */
  readonly kind: "static" | "dynamic" | "deleting";
  readonly query?: string;
  readonly generation: string;
}

export function groupKey(name: string): Key {
  return { PK: { S: groupPartition }, SK: { S: name } };
}

export function memberPartition({ name, generation }: StoredGroup): string {
  return `FG#${name}#${generation}`;
}

export function memberKey(group: StoredGroup, thing: string): Key {
  return { PK: { S: memberPartition(group) }, SK: { S: thing } };
}

export function groupItem({ name, kind, query, generation }: StoredGroup): Item {
  return {
    ...groupKey(name),
    Kind: { S: kind },
    Generation: { S: generation },
    ...(query !== undefined && { Query: { S: query } }),
  };
}

export function readGroup(item: Item): StoredGroup {
  const query = item["Query"]?.S;
  return {
    name: item["SK"]?.S ?? "",
    kind: (item["Kind"]?.S ?? "static") as StoredGroup["kind"],
    generation: item["Generation"]?.S ?? "",
    ...(query !== undefined && { query }),
  };
}

export function groupNotFound(group: string): ShadowError<"SHADOW_GROUP_NOT_FOUND"> {
  return new ShadowError("SHADOW_GROUP_NOT_FOUND", `no such group: ${JSON.stringify(group)}`, { group });
}

/** The error for an operation that groups of this kind do not support. */
export function groupKind(group: string, kind: "static" | "dynamic", todo: string): ShadowError {
  return new ShadowError("SHADOW_GROUP_KIND", `group ${JSON.stringify(group)} is ${kind}: ${todo}`, {
    group,
    kind,
  });
}
