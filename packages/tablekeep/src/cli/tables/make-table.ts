import { ClientError } from "@tablekeep/client";
import {
  type AttributeDefinition,
  type CreateTableInput,
  type DynamoPort,
  isDynamoError,
  type KeySchemaElement,
  sleep,
  systemClock,
  type TableDescription,
} from "@tablekeep/core";
import { readTtl } from "./table-settings.ts";

/** How the keys of a table differ from the requested ones; "" if they do not. */
function keyDifference(wanted: CreateTableInput, found: TableDescription): string {
  const [want, have] = [keysOf(wanted, wanted.KeySchema), keysOf(found, found.KeySchema)];
  return want === have ? "" : `its keys are ${have}, not ${want}`;
}

/** The requested indexes that are missing or different in a table, one sentence each. */
function indexDifferences(wanted: CreateTableInput, found: TableDescription): string[] {
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
  readonly AttributeDefinitions?: AttributeDefinition[];
}

interface Indexed extends Keyed {
  readonly LocalSecondaryIndexes?: readonly IndexLike[];
  readonly GlobalSecondaryIndexes?: readonly IndexLike[];
}

interface IndexLike {
  readonly IndexName?: string;
  readonly KeySchema?: KeySchemaElement[];
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

/** The specification of a table. */
export interface WantedTable {
  readonly input: CreateTableInput;
  /** The attribute by which items expire. */
  readonly ttlAttribute?: string;
}

/** A table that is ready. */
export interface MadeTable {
  readonly created: boolean;
  readonly description: TableDescription;
  /** How its indexes and its expiry differ from the requested ones, one sentence each. */
  readonly notes: readonly string[];
}

const [pollMs, patienceMs] = [250, 120_000];

/** Creates a missing table and waits until it is active; throws if it exists with other keys. */
export async function makeTable(
  port: DynamoPort,
  { input, ttlAttribute }: WantedTable,
  signal: AbortSignal,
): Promise<MadeTable> {
  const table = input.TableName ?? "";
  const giveUpAt = systemClock.monotonic() + patienceMs;
  let created = false;
  for (;;) {
    const description = await describe(port, table, signal);
    if (description === undefined) created = (await create(port, input, signal)) || created;
    else if (isReady(description)) {
      const notes = checked(input, description);
      if (ttlAttribute !== undefined)
        notes.push(...(await expire(port, { table, attribute: ttlAttribute, created }, signal)));
      return { created, description, notes };
    } else if (systemClock.monotonic() > giveUpAt) throw notReady(table, String(description.TableStatus));
    else await sleep(systemClock, pollMs, signal).catch(() => undefined);
  }
}

/** The description of a table; undefined if it does not exist. */
async function describe(
  port: DynamoPort,
  TableName: string,
  signal: AbortSignal,
): Promise<TableDescription | undefined> {
  try {
    return (await port.describeTable({ TableName }, { signal })).Table;
  } catch (error) {
    if (isDynamoError(error, "ResourceNotFoundException")) return undefined;
    throw error;
  }
}

async function create(port: DynamoPort, input: CreateTableInput, signal: AbortSignal): Promise<boolean> {
  try {
    await port.createTable(input, { signal });
    return true;
  } catch (error) {
    // Another process was faster; the next read shows what it created.
    if (isDynamoError(error, "ResourceInUseException")) return false;
    throw error;
  }
}

interface Expiry {
  readonly table: string;
  readonly attribute: string;
  /** Whether the table is new. An existing one is not changed. */
  readonly created: boolean;
}

/** Enables expiry in a new table; reports an existing table without it. */
async function expire(
  port: DynamoPort,
  { table: TableName, attribute: AttributeName, created }: Expiry,
  signal: AbortSignal,
): Promise<string[]> {
  if ((await readTtl(port, TableName, signal)) === AttributeName) return [];
  if (!created) return [`its items do not expire by ${AttributeName}`];
  try {
    const TimeToLiveSpecification = { Enabled: true, AttributeName };
    await port.updateTimeToLive({ TableName, TimeToLiveSpecification }, { signal, idempotent: true });
  } catch (error) {
    // A second attempt is rejected if the first one, whose response was lost, has enabled it.
    if (signal.aborted || (await readTtl(port, TableName, signal)) !== AttributeName) throw error;
  }
  return [];
}

function isReady({ TableStatus, GlobalSecondaryIndexes = [] }: TableDescription): boolean {
  const building = GlobalSecondaryIndexes.some(({ IndexStatus }) => IndexStatus === "CREATING");
  return (TableStatus === "ACTIVE" || TableStatus === "UPDATING") && !building;
}

function checked(input: CreateTableInput, description: TableDescription): string[] {
  const difference = keyDifference(input, description);
  if (difference === "") return indexDifferences(input, description);
  const table = input.TableName ?? "";
  throw new ClientError(
    "CLIENT_TABLE_MISMATCH",
    `table ${table} already exists, but ${difference}: use another name, or delete it first`,
    { table, differences: [difference] },
  );
}

function notReady(table: string, status: string): ClientError {
  return new ClientError(
    "CLIENT_TABLE_NOT_READY",
    `table ${table} is not usable within ${patienceMs / 1000} seconds: it is ${status}`,
    { table, status },
  );
}
