import type { GlobalIndexSpec, KeyAttribute, LocalIndexSpec } from "@tablekeep/client";
import type { StreamViewType } from "@tablekeep/core";
import { InvalidArgumentError } from "commander";

/** A table as options of the command line describe it. */
export interface TableFlags {
  readonly name?: string;
  readonly partitionKey?: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  readonly globalIndex?: readonly GlobalIndexSpec[];
  readonly localIndex?: readonly LocalIndexSpec[];
  readonly stream?: StreamViewType;
  readonly ttl?: string;
}

/** `id` or `at:N`: the name of a key attribute, and its type where it is no text. */
export function parseKey(text: string): KeyAttribute {
  const [, name, type = "S"] = /^(.+?)(?::([SNB]))?$/.exec(text) ?? [];
  if (name === undefined || name.includes(":")) {
    throw new InvalidArgumentError("write it as name, name:S, name:N or name:B");
  }
  return { name, type: type as KeyAttribute["type"] };
}

/** `byDay=day,at:N`: one more global index. */
export function parseGlobalIndex(text: string, before: readonly GlobalIndexSpec[] = []): GlobalIndexSpec[] {
  const [name, partition, sort, ...rest] = partsOf(text);
  if (rest.length > 0)
    throw new InvalidArgumentError("an index has at most two keys here; use a file for more");
  const index = { name, partitionKey: parseKey(partition) };
  return [...before, sort === undefined ? index : { ...index, sortKey: parseKey(sort) }];
}

/** `byPrice=price:N`: one more local index. */
export function parseLocalIndex(text: string, before: readonly LocalIndexSpec[] = []): LocalIndexSpec[] {
  const [name, sort, ...rest] = partsOf(text);
  if (rest.length > 0) throw new InvalidArgumentError("a local index has one key beside that of the table");
  return [...before, { name, sortKey: parseKey(sort) }];
}

function partsOf(text: string): [name: string, first: string, ...rest: string[]] {
  const [, name, keys] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const [first, ...rest] = keys?.split(",") ?? [];
  if (name === undefined || first === undefined) throw new InvalidArgumentError("write it as index=key:type");
  return [name, first, ...rest];
}
