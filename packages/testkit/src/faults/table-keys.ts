import type { Dispatch, KeySchemaElement, Projection, TableDescription } from "@tablekeep/core";

/** The keys of one table and of its indexes. */
export interface TableKeySchema {
  /** The attributes of the primary key: partition key first. */
  readonly key: readonly string[];
  readonly indexes: ReadonlyMap<string, IndexKeySchema>;
}

export interface IndexKeySchema {
  readonly key: readonly string[];
  /** The attributes that the index holds beside the keys; undefined for all. */
  readonly projected: readonly string[] | undefined;
}

/** Reads the key schemas of tables, once per table. */
export interface TableKeys {
  /** Undefined if there is no such table. */
  of(table: string): Promise<TableKeySchema | undefined>;
  /** The table is being changed: read it again next time. */
  forget(table: string): void;
}

/** Looks keys up with DescribeTable. */
export function tableKeysFrom(direct: Dispatch): TableKeys {
  const known = new Map<string, Promise<TableKeySchema | undefined>>();
  const describe = (TableName: string) =>
    direct("DescribeTable", { TableName }, {}).then(
      ({ Table }) => Table && schemaOf(Table),
      () => {
        known.delete(TableName);
        return undefined;
      },
    );
  return {
    of(table) {
      const schema = known.get(table) ?? describe(table);
      known.set(table, schema);
      return schema;
    },
    forget: (table) => {
      known.delete(table);
    },
  };
}

function schemaOf(table: TableDescription): TableKeySchema {
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  return {
    key: names(table.KeySchema),
    indexes: new Map(
      indexes.map((index) => [
        index.IndexName ?? "",
        { key: names(index.KeySchema), projected: projected(index.Projection) },
      ]),
    ),
  };
}

function names(schema: readonly KeySchemaElement[] | undefined): string[] {
  const inOrder = [...(schema ?? [])].sort((a, b) => rank(a) - rank(b));
  return inOrder.map((element) => element.AttributeName ?? "");
}

function rank(element: KeySchemaElement): number {
  return element.KeyType === "HASH" ? 0 : 1;
}

function projected(projection: Projection | undefined): string[] | undefined {
  return projection?.ProjectionType === "ALL" ? undefined : (projection?.NonKeyAttributes ?? []);
}
