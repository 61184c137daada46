import type { AttributeDefinition, KeySchemaElement, Projection, TableDescription } from "@tablekeep/core";

/** One attribute of a key. */
export interface KeyFact {
  readonly name: string;
  /** Text, number or bytes. */
  readonly type: "S" | "N" | "B";
}

/** The key of a table or an index. */
export interface KeyFacts {
  readonly partition: KeyFact;
  readonly sort?: KeyFact;
}

/** One index of a table. */
export interface IndexFacts extends KeyFacts {
  readonly name: string;
  readonly kind: "global" | "local";
  readonly status: string;
  /** All attributes, the keys only, or the names of its attributes besides the keys. */
  readonly projection: "all" | "keys" | readonly string[];
  readonly itemCount: number;
  readonly sizeBytes: number;
}

/** A table as described by the API. */
export interface TableFacts extends KeyFacts {
  readonly name: string;
  readonly status: string;
  /** As DynamoDB counts: on AWS it may be hours old. */
  readonly itemCount: number;
  readonly sizeBytes: number;
  readonly billing: "on-demand" | "provisioned";
  readonly indexes: readonly IndexFacts[];
  /** The view type of its stream; undefined without a stream. */
  readonly stream?: string;
}

/** Converts DynamoDB's description of a table. */
export function tableFacts(table: TableDescription): TableFacts {
  const types = table.AttributeDefinitions ?? [];
  const index = (kind: IndexFacts["kind"]) => (one: AnyIndex) => indexFacts(one, kind, types);
  return {
    name: table.TableName ?? "",
    status: table.TableStatus ?? "ACTIVE",
    ...keyFacts(table.KeySchema, types),
    itemCount: table.ItemCount ?? 0,
    sizeBytes: table.TableSizeBytes ?? 0,
    billing: table.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST" ? "on-demand" : "provisioned",
    indexes: [
      ...(table.GlobalSecondaryIndexes ?? []).map(index("global")),
      ...(table.LocalSecondaryIndexes ?? []).map(index("local")),
    ],
    ...(table.StreamSpecification?.StreamEnabled && { stream: table.StreamSpecification.StreamViewType }),
  };
}

interface AnyIndex {
  readonly IndexName?: string;
  readonly IndexStatus?: string;
  readonly KeySchema?: KeySchemaElement[];
  readonly Projection?: Projection;
  readonly ItemCount?: number;
  readonly IndexSizeBytes?: number;
}

function indexFacts(
  index: AnyIndex,
  kind: IndexFacts["kind"],
  types: readonly AttributeDefinition[],
): IndexFacts {
  return {
    name: index.IndexName ?? "",
    kind,
    status: index.IndexStatus ?? "ACTIVE",
    ...keyFacts(index.KeySchema, types),
    projection: projectionFacts(index.Projection),
    itemCount: index.ItemCount ?? 0,
    sizeBytes: index.IndexSizeBytes ?? 0,
  };
}

function projectionFacts({ ProjectionType, NonKeyAttributes }: Projection = {}): IndexFacts["projection"] {
  if (ProjectionType === "INCLUDE") return NonKeyAttributes ?? [];
  return ProjectionType === "KEYS_ONLY" ? "keys" : "all";
}

function keyFacts(schema: KeySchemaElement[] = [], types: readonly AttributeDefinition[]): KeyFacts {
  const fact = (keyType: string): KeyFact | undefined => {
    const name = schema.find(({ KeyType }) => KeyType === keyType)?.AttributeName;
    const type = types.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
    return name === undefined ? undefined : { name, type: type === "N" || type === "B" ? type : "S" };
  };
  const sort = fact("RANGE");
  return { partition: fact("HASH") ?? { name: "", type: "S" }, ...(sort && { sort }) };
}
