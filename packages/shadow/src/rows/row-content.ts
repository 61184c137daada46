import type { Item } from "@tablekeep/core";
import type { DocumentValue } from "../document/document-value.ts";
import { toAttribute } from "../document/to-attribute.ts";
import type { RowId } from "./row-keys.ts";
import type { RowMetadata } from "./stored-row.ts";

/** The attribute that holds the id of the write that an item shows. */
export const writeIdAttribute = "WriteId";
/** The attribute by which the memory of a deleted version goes: seconds since 1970. */
export const expiryAttribute = "ExpiresAt";

/** What a write puts into one item. */
export interface RowValues {
  readonly reported: DocumentValue;
  readonly desired: DocumentValue;
  readonly clientToken: string;
  /** Nanoseconds since 1970. */
  readonly timeStamp: bigint;
  readonly metadata?: RowMetadata | undefined;
}

/** An item to write: its place, and all its attributes beside key, version and write id. */
export interface RowContent extends RowId {
  readonly attributes: Item;
}

/** The item to write: the original's attributes, and ours. */
export function rowContent({ kind, id, name }: RowId, values: RowValues): RowContent {
  const { reported, desired, clientToken, timeStamp, metadata } = values;
  const attributes: Item = {
    TimeStamp: { N: String(timeStamp) },
    ClientToken: { S: clientToken },
    Desired: toAttribute(desired),
    Reported: toAttribute(reported),
  };
  if (metadata !== undefined) attributes["Metadata"] = { S: JSON.stringify(metadata) };
  return { kind, id, name, attributes };
}
