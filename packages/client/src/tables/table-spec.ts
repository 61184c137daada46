import type { ScalarAttributeType, StreamViewType, TableClass } from "@tablekeep/core";

/** The specification of a table: plain data that `ensureTable`, `checkTable` and the printers read. */
export interface TableSpec {
  /** 3 to 255 characters of `a-z A-Z 0-9 _ - .`. */
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  /** @default none: the partition key alone identifies an item */
  readonly sortKey?: KeyAttribute;
  /** Other sort orders within a partition. They can only be made together with the table. @default none */
  readonly localIndexes?: readonly LocalIndexSpec[];
  /** The same items by other keys. @default none */
  readonly globalIndexes?: readonly GlobalIndexSpec[];
  /** Pay per request, or for capacity that is reserved. @default "on-demand" */
  readonly billing?: "on-demand" | ReservedCapacity;
  /** The number attribute that holds the second (since 1970) at which an item expires. @default nothing expires */
  readonly ttlAttribute?: string;
  /** The view type of the change stream. @default no demand: a stream may be on or off */
  readonly stream?: StreamViewType;
  /** Protect the table from deletion. @default false */
  readonly deletionProtection?: boolean;
  /** @default "STANDARD" */
  readonly tableClass?: TableClass;
  /** @default none */
  readonly tags?: Readonly<Record<string, string>>;
}

/** An attribute that is part of a key: its name and its type (`S` text, `N` number, `B` bytes). */
export interface KeyAttribute {
  readonly name: string;
  readonly type: ScalarAttributeType;
}

/** An index over the items of one partition, in the order of another attribute. */
export interface LocalIndexSpec {
  readonly name: string;
  readonly sortKey: KeyAttribute;
  /** @default "ALL" */
  readonly projection?: IndexProjection;
}

/** An index over all items of the table, with its own keys. */
export interface GlobalIndexSpec {
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  /** @default "ALL" */
  readonly projection?: IndexProjection;
  /** Reserved capacity of the index, where the table has some. @default as much as the table */
  readonly capacity?: ReservedCapacity;
}

/** Which attributes an index copies: all, only keys, or the keys and those listed. */
export type IndexProjection = "ALL" | "KEYS_ONLY" | readonly string[];

/** Capacity that is paid whether used or not, in units a second. */
export interface ReservedCapacity {
  readonly readUnits: number;
  readonly writeUnits: number;
}
