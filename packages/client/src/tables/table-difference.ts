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

/** One way in which a table is not what its specification says. */
export interface TableDifference {
  readonly aspect: TableAspect;
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

export function breaking(aspect: TableAspect, message: string): TableDifference {
  return { aspect, severity: "breaking", message, updatable: false };
}

export function note(aspect: TableAspect, message: string): TableDifference {
  return { aspect, severity: "note", message, updatable: false };
}

export function updatable(difference: TableDifference): TableDifference {
  return { ...difference, updatable: true };
}

const keyWords = { HASH: "partition key", RANGE: "sort key" } as const;

/** Compares wanted keys with those of a table or an index. `owner` begins the sentences: "the table". */
export function compareKeys(
  aspect: TableAspect,
  owner: string,
  wanted: { readonly HASH: KeyAttribute | undefined; readonly RANGE: KeyAttribute | undefined },
  schema: readonly KeySchemaElement[] | undefined,
  definitions: readonly AttributeDefinition[] | undefined,
): TableDifference[] {
  return (["HASH", "RANGE"] as const).flatMap((keyType) => {
    const name = schema?.find((element) => element.KeyType === keyType)?.AttributeName;
    const type = definitions?.find((definition) => definition.AttributeName === name)?.AttributeType;
    const message = keyDifference(keyWords[keyType], wanted[keyType], name, type);
    return message === undefined
      ? []
      : [breaking(aspect, `${owner} ${message}; keys cannot be changed, so it must be created again`)];
  });
}

function keyDifference(
  what: string,
  wanted: KeyAttribute | undefined,
  name: string | undefined,
  type: string | undefined,
): string | undefined {
  if (wanted === undefined)
    return name === undefined ? undefined : `has the ${what} ${name}; it should have none`;
  const wish = `${wanted.name} (${wanted.type})`;
  if (name === undefined) return `has no ${what}; it should be ${wish}`;
  if (name !== wanted.name) return `has the ${what} ${name} (${type}); it should be ${wish}`;
  if (type !== wanted.type)
    return `has the ${what} ${name} with type ${type}; it should be of type ${wanted.type}`;
  return undefined;
}
