import type { AttributeDefinition, KeySchemaElement } from "@tablekeep/core";
import type { KeyAttribute } from "./table-spec.ts";

/** The part of a table that differs. */
export type TableAspect =
  | "key"
  | "local-index"
  | "global-index"
  | "expiry"
  | "stream"
  | "billing"
  | "deletion-protection"
  | "table-class"
  | "tag";

/** One difference between a table and its specification. */
export interface TableDifference {
  readonly aspect: TableAspect;
  /**
   * `missing`: specified, and not there. `unspecified`: there, and not specified. `different`: there, but not as
   * specified. `building` and `deleting`: an index that cannot be queried now.
   */
  readonly problem: "missing" | "unspecified" | "different" | "building" | "deleting";
  /** The index or the tag. */
  readonly name?: string;
  /** The part of the table's keys, or of the index. */
  readonly part?: "partition-key" | "sort-key" | "projection";
  /** The specified value, as in the message. */
  readonly expected?: string;
  /** The actual value, as in the message. */
  readonly actual?: string;
  /**
   * `breaking`: a program written for the specification would fail on this table, or keep or lose data unexpectedly.
   * `note`: it works, at another price or with more than it needs.
   */
  readonly severity: "breaking" | "note";
  /** One sentence: what differs, and how to fix it if that is not obvious. */
  readonly message: string;
  /** Whether `ensureTable` with `update: true` fixes it. */
  readonly updatable: boolean;
}

/** What differs, without how bad it is. */
export type WhatDiffers = Omit<TableDifference, "severity" | "message" | "updatable">;

export function breaking(what: WhatDiffers, message: string): TableDifference {
  return { ...what, severity: "breaking", message, updatable: false };
}

export function note(what: WhatDiffers, message: string): TableDifference {
  return { ...what, severity: "note", message, updatable: false };
}

export function updatable(difference: TableDifference): TableDifference {
  return { ...difference, updatable: true };
}

const keyParts = { HASH: "partition-key", RANGE: "sort-key" } as const;

/** Compares wanted keys with those of a table or an index. `words` begin the sentences: "the table". */
export function compareKeys(
  owner: { readonly aspect: TableAspect; readonly name?: string; readonly words: string },
  wanted: { readonly HASH: KeyAttribute | undefined; readonly RANGE: KeyAttribute | undefined },
  schema: readonly KeySchemaElement[] | undefined,
  definitions: readonly AttributeDefinition[] | undefined,
): TableDifference[] {
  const { words, ...of } = owner;
  return (["HASH", "RANGE"] as const).flatMap((keyType) => {
    const name = schema?.find((element) => element.KeyType === keyType)?.AttributeName;
    const type = definitions?.find((definition) => definition.AttributeName === name)?.AttributeType;
    const different = keyDifference(keyParts[keyType], wanted[keyType], name, type);
    if (different === undefined) return [];
    const { message, ...what } = different;
    return [
      breaking(
        { ...of, ...what },
        `${words} ${message}; keys cannot be changed, so it must be created again`,
      ),
    ];
  });
}

function keyDifference(
  part: "partition-key" | "sort-key",
  wanted: KeyAttribute | undefined,
  name: string | undefined,
  type: string | undefined,
): (Omit<WhatDiffers, "aspect"> & { readonly message: string }) | undefined {
  const key = part.replace("-", " ");
  const actual = `${name} (${type})`;
  if (wanted === undefined) {
    if (name === undefined) return undefined;
    return { problem: "unspecified", part, actual, message: `has the ${key} ${name}; it should have none` };
  }
  const expected = `${wanted.name} (${wanted.type})`;
  if (name === undefined)
    return { problem: "missing", part, expected, message: `has no ${key}; it should be ${expected}` };
  if (actual === expected) return undefined;
  const message =
    name === wanted.name
      ? `has the ${key} ${name} with type ${type}; it should be of type ${wanted.type}`
      : `has the ${key} ${actual}; it should be ${expected}`;
  return { problem: "different", part, expected, actual, message };
}
