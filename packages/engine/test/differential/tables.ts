import type { CreateTableInput } from "@tablekeep/core";

export type KeyType = "S" | "N" | "B";

export interface KeyPart {
  readonly name: string;
  readonly type: KeyType;
}

/** An index, or the table itself if it has no name. */
export interface ReadPath {
  readonly index?: string;
  readonly kind: "table" | "local" | "global";
  readonly hash: KeyPart;
  readonly range?: KeyPart;
  /** The attributes that an index contains; all, if undefined. */
  readonly projected?: readonly string[];
}

/** A table of the differential test. */
export interface TestTable {
  readonly name: string;
  readonly hash: KeyPart;
  readonly range?: KeyPart;
  /** The table itself, and its indexes. */
  readonly paths: readonly ReadPath[];
  readonly create: CreateTableInput;
}

const part = (name: string, type: KeyType): KeyPart => ({ name, type });

type Projection = "ALL" | "KEYS_ONLY" | readonly string[];

interface IndexPlan {
  readonly name: string;
  readonly kind: "local" | "global";
  readonly hash: KeyPart;
  readonly range?: KeyPart;
  readonly projection: Projection;
}

const pk = part("pk", "S");
const sk = part("sk", "S");
const l = part("l", "S");
const g = part("g", "S");
const h = part("h", "N");
const q = part("q", "B");

const indexes: readonly IndexPlan[] = [
  { name: "by-l", kind: "local", hash: pk, range: l, projection: "ALL" },
  { name: "by-l-keys", kind: "local", hash: pk, range: l, projection: "KEYS_ONLY" },
  { name: "by-h-some", kind: "local", hash: pk, range: h, projection: ["a", "m"] },
  { name: "by-g", kind: "global", hash: g, projection: "ALL" },
  { name: "by-g-h", kind: "global", hash: g, range: h, projection: ["a"] },
  { name: "by-h-keys", kind: "global", hash: h, range: q, projection: "KEYS_ONLY" },
];

/** The tables of one lane; lanes run in parallel and share nothing. */
export function testTables(prefix: string): readonly TestTable[] {
  return [
    table(`${prefix}-hash`, pk),
    table(`${prefix}-text`, pk, sk),
    table(`${prefix}-number`, pk, part("n", "N")),
    table(`${prefix}-binary`, part("p", "B"), part("b2", "B")),
    table(`${prefix}-indexed`, pk, sk, indexes),
  ];
}

function table(name: string, hash: KeyPart, range?: KeyPart, plans: readonly IndexPlan[] = []): TestTable {
  const parts = [{ hash, range }, ...plans].flatMap((each) => [
    each.hash,
    ...(each.range ? [each.range] : []),
  ]);
  const definitions = new Map(parts.map((each) => [each.name, each.type]));
  const ofKind = (kind: IndexPlan["kind"]) => plans.filter((plan) => plan.kind === kind).map(indexInput);
  const [local, global] = [ofKind("local"), ofKind("global")];
  return {
    name,
    hash,
    ...(range && { range }),
    paths: [
      { kind: "table", hash, ...(range && { range }) },
      ...plans.map((plan) => ({
        index: plan.name,
        kind: plan.kind,
        hash: plan.hash,
        ...(plan.range && { range: plan.range }),
        ...(plan.projection !== "ALL" && { projected: projectedBy(plan, [hash, ...(range ? [range] : [])]) }),
      })),
    ],
    create: {
      TableName: name,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [...definitions].map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      KeySchema: keySchema(hash, range),
      ...(local.length > 0 && { LocalSecondaryIndexes: local }),
      ...(global.length > 0 && { GlobalSecondaryIndexes: global }),
    },
  };
}

function projectedBy({ hash, range, projection }: IndexPlan, tableKey: readonly KeyPart[]): string[] {
  const keys = [...tableKey, hash, ...(range ? [range] : [])].map(({ name }) => name);
  return [...keys, ...(typeof projection === "string" ? [] : projection)];
}

function indexInput({ name, hash, range, projection }: IndexPlan) {
  return {
    IndexName: name,
    KeySchema: keySchema(hash, range),
    Projection:
      typeof projection === "string"
        ? { ProjectionType: projection }
        : { ProjectionType: "INCLUDE" as const, NonKeyAttributes: [...projection] },
  };
}

function keySchema(hash: KeyPart, range?: KeyPart): NonNullable<CreateTableInput["KeySchema"]> {
  const schema: NonNullable<CreateTableInput["KeySchema"]> = [{ AttributeName: hash.name, KeyType: "HASH" }];
  if (range !== undefined) schema.push({ AttributeName: range.name, KeyType: "RANGE" });
  return schema;
}
