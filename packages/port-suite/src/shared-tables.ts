import type { CreateTableInput, DynamoPort } from "@tablekeep/core";

/** The names of the tables that cases share; {@link sharedTableInputs} defines them. */
export interface SharedTables {
  /** Partition key `pk` (S). */
  readonly simple: string;
  /** Partition key `pk` (S), sort key `sk` (S). */
  readonly composite: string;
  /** Partition key `pk` (S), sort key `n` (N). */
  readonly numeric: string;
  /** Partition key `pk` (B), sort key `b` (B). */
  readonly binary: string;
  /**
   * Partition key `pk` (S), sort key `sk` (S). Local index `by-l` (sort `l`, S, ALL) and `by-l-keys` (sort `l`, KEYS_ONLY); global
   * indexes `by-g` (`g` S, ALL), `by-g-h` (`g` S + `h` N, INCLUDE [`a`]) and `by-g-keys` (`g` S + `h` N, KEYS_ONLY).
   */
  readonly indexed: string;
}

/** The CreateTable requests behind {@link SharedTables}, for tables named `<prefix>-<name>`. */
export function sharedTableInputs(prefix: string): Record<keyof SharedTables, CreateTableInput> {
  const table = (
    name: string,
    keys: Record<string, "S" | "N" | "B">,
    hash: string,
    range?: string,
  ): CreateTableInput => ({
    TableName: `${prefix}-${name}`,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: Object.entries(keys).map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    KeySchema: keySchema(hash, range),
  });
  return {
    simple: table("simple", { pk: "S" }, "pk"),
    composite: table("composite", { pk: "S", sk: "S" }, "pk", "sk"),
    numeric: table("numeric", { pk: "S", n: "N" }, "pk", "n"),
    binary: table("binary", { pk: "B", b: "B" }, "pk", "b"),
    indexed: {
      ...table("indexed", { pk: "S", sk: "S", l: "S", g: "S", h: "N" }, "pk", "sk"),
      LocalSecondaryIndexes: [
        { IndexName: "by-l", KeySchema: keySchema("pk", "l"), Projection: { ProjectionType: "ALL" } },
        {
          IndexName: "by-l-keys",
          KeySchema: keySchema("pk", "l"),
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
      GlobalSecondaryIndexes: [
        { IndexName: "by-g", KeySchema: keySchema("g"), Projection: { ProjectionType: "ALL" } },
        {
          IndexName: "by-g-h",
          KeySchema: keySchema("g", "h"),
          Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["a"] },
        },
        {
          IndexName: "by-g-keys",
          KeySchema: keySchema("g", "h"),
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
    },
  };
}

/** A key schema of one or two attributes. */
export function keySchema(hash: string, range?: string): NonNullable<CreateTableInput["KeySchema"]> {
  const schema: NonNullable<CreateTableInput["KeySchema"]> = [{ AttributeName: hash, KeyType: "HASH" }];
  if (range !== undefined) schema.push({ AttributeName: range, KeyType: "RANGE" });
  return schema;
}

/** Whether a table can be used. */
export async function isActive(port: DynamoPort, TableName: string): Promise<boolean> {
  const { Table } = await port.describeTable({ TableName });
  const indexes = Table?.GlobalSecondaryIndexes ?? [];
  return Table?.TableStatus === "ACTIVE" && indexes.every((index) => index.IndexStatus === "ACTIVE");
}

/** A table request with partition key `pk` (S), paid per request; `over` replaces or adds members. */
export function tableInput(TableName: string, over: Partial<CreateTableInput> = {}): CreateTableInput {
  return {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    KeySchema: keySchema("pk"),
    ...over,
  };
}
