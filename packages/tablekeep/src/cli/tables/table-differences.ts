import type {
  AttributeDefinition,
  CreateTableInput,
  KeySchemaElement,
  TableDescription,
} from "@tablekeep/core";

/** How the keys of a table differ from those wanted; "" where they do not. */
export function keyDifference(wanted: CreateTableInput, found: TableDescription): string {
  const [want, have] = [keysOf(wanted, wanted.KeySchema), keysOf(found, found.KeySchema)];
  return want === have ? "" : `its keys are ${have}, not ${want}`;
}

/** The wanted indexes that a table lacks or has otherwise, a sentence each. */
export function indexDifferences(wanted: CreateTableInput, found: TableDescription): string[] {
  const have = new Map(indexesOf(found).map(({ name, keys }) => [name, keys]));
  return indexesOf(wanted).flatMap(({ name, keys }) => {
    const there = have.get(name);
    if (there === keys) return [];
    return [
      there === undefined ? `it has no index ${name}` : `its index ${name} is on ${there}, not ${keys}`,
    ];
  });
}

interface Keyed {
  readonly AttributeDefinitions?: AttributeDefinition[] | undefined;
}

interface Indexed extends Keyed {
  readonly LocalSecondaryIndexes?: readonly IndexLike[] | undefined;
  readonly GlobalSecondaryIndexes?: readonly IndexLike[] | undefined;
}

interface IndexLike {
  readonly IndexName?: string | undefined;
  readonly KeySchema?: KeySchemaElement[] | undefined;
}

function indexesOf(table: Indexed): { name: string; keys: string }[] {
  const { LocalSecondaryIndexes: local = [], GlobalSecondaryIndexes: global = [] } = table;
  return [...local, ...global].map(({ IndexName, KeySchema }) => ({
    name: IndexName ?? "",
    keys: keysOf(table, KeySchema),
  }));
}

/** `id (S), at (N)`: the partition key first. */
function keysOf({ AttributeDefinitions = [] }: Keyed, schema: readonly KeySchemaElement[] = []): string {
  const types = new Map(AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
  const parts = (type: string) => schema.filter(({ KeyType }) => KeyType === type);
  return [...parts("HASH"), ...parts("RANGE")]
    .map(({ AttributeName, KeyType }) => `${AttributeName} (${KeyType} ${types.get(AttributeName)})`)
    .join(", ");
}
