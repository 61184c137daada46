import { readFile, stat } from "node:fs/promises";
import {
  createTableInput,
  type GlobalIndexSpec,
  type KeyAttribute,
  type LocalIndexSpec,
} from "@tablekeep/client";
import type {
  CreateTableInput,
  GlobalSecondaryIndex,
  LocalSecondaryIndex,
  ProvisionedThroughput,
  ProvisionedThroughputDescription,
  StreamViewType,
  TableDescription,
} from "@tablekeep/core";
import { InvalidArgumentError } from "commander";
import { CliError, unreadableFile } from "../frame/cli-error.ts";
import type { WantedTable } from "./make-table.ts";
import { settingsIn, type TableSettings } from "./table-settings.ts";

/** A table as described by options of the command line. */
export interface TableFlags {
  readonly table?: string;
  readonly partitionKey?: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  readonly globalIndex?: readonly GlobalIndexSpec[];
  readonly localIndex?: readonly LocalIndexSpec[];
  readonly stream?: StreamViewType;
  readonly ttl?: string;
}

/** `id` or `at:N`: the name of a key attribute, and its type unless it is a string. */
export function parseKey(text: string): KeyAttribute {
  const [, name, type = "S"] = /^(.+?)(?::([SNB]))?$/.exec(text) ?? [];
  if (name === undefined || name.includes(":")) {
    throw new InvalidArgumentError("expected name, name:S, name:N or name:B");
  }
  return { name, type: type as KeyAttribute["type"] };
}

/** `byDay=day,at:N`: one more global index. */
export function parseGlobalIndex(text: string, before: readonly GlobalIndexSpec[] = []): GlobalIndexSpec[] {
  const [name, partition, sort, ...rest] = partsOf(text);
  if (rest.length > 0) throw new InvalidArgumentError("expected at most two keys; use a file for more");
  const index = { name, partitionKey: parseKey(partition) };
  return [...before, sort === undefined ? index : { ...index, sortKey: parseKey(sort) }];
}

/** `byPrice=price:N`: one more local index. */
export function parseLocalIndex(text: string, before: readonly LocalIndexSpec[] = []): LocalIndexSpec[] {
  const [name, sort, ...rest] = partsOf(text);
  if (rest.length > 0) throw new InvalidArgumentError("expected one sort key");
  return [...before, { name, sortKey: parseKey(sort) }];
}

function partsOf(text: string): [name: string, first: string, ...rest: string[]] {
  const [, name, keys] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const [first, ...rest] = keys?.split(",") ?? [];
  if (name === undefined || first === undefined) throw new InvalidArgumentError("expected index=key:type");
  return [name, first, ...rest];
}

/** The request that creates a table like the one described: its keys, indexes, billing, stream and tags. */
export function createInputOf(
  description: TableDescription,
  { tags = [] }: TableSettings,
  name?: string,
): CreateTableInput {
  const { LocalSecondaryIndexes = [], GlobalSecondaryIndexes = [], StreamSpecification } = description;
  const reserved = throughputOf(description);
  return {
    TableName: name ?? description.TableName,
    AttributeDefinitions: description.AttributeDefinitions,
    KeySchema: description.KeySchema,
    ...(LocalSecondaryIndexes.length > 0 && {
      LocalSecondaryIndexes: LocalSecondaryIndexes.map(
        ({ IndexName, KeySchema, Projection }): LocalSecondaryIndex => ({ IndexName, KeySchema, Projection }),
      ),
    }),
    ...(GlobalSecondaryIndexes.length > 0 && {
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(
        ({ IndexName, KeySchema, Projection, ProvisionedThroughput }): GlobalSecondaryIndex => ({
          IndexName,
          KeySchema,
          Projection,
          ...(reserved && { ProvisionedThroughput: units(ProvisionedThroughput) ?? reserved }),
        }),
      ),
    }),
    ...(reserved
      ? { BillingMode: "PROVISIONED" as const, ProvisionedThroughput: reserved }
      : { BillingMode: "PAY_PER_REQUEST" as const }),
    ...(StreamSpecification?.StreamEnabled === true && { StreamSpecification }),
    ...(tags.length > 0 && { Tags: [...tags] }),
  };
}

/** The provisioned capacity; undefined for a table with on-demand billing, or without billing information. */
function throughputOf(description: TableDescription): ProvisionedThroughput | undefined {
  if (description.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST") return undefined;
  return units(description.ProvisionedThroughput);
}

function units(described: ProvisionedThroughputDescription | undefined): ProvisionedThroughput | undefined {
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = described ?? {};
  return ReadCapacityUnits > 0 && WriteCapacityUnits > 0
    ? { ReadCapacityUnits, WriteCapacityUnits }
    : undefined;
}

const maxFileBytes = 64 * 1024 * 1024;

/** The table that the command line specifies. */
export async function wantedTable(file: string | undefined, flags: TableFlags): Promise<WantedTable> {
  const { table: name, partitionKey, sortKey, globalIndex, localIndex, stream, ttl: ttlAttribute } = flags;
  if (file !== undefined) {
    const wanted = await fromFile(file, name);
    return ttlAttribute === undefined ? wanted : { ...wanted, ttlAttribute };
  }
  if (name === undefined || partitionKey === undefined) {
    throw new CliError("CLI_OPTION_MISSING", "missing table: pass a file, or --table and --partition-key");
  }
  const input = createTableInput({
    name,
    partitionKey,
    ...(sortKey && { sortKey }),
    ...(globalIndex && { globalIndexes: globalIndex }),
    ...(localIndex && { localIndexes: localIndex }),
    ...(stream && { stream }),
  });
  return { input, ttlAttribute };
}

/** Reads a CreateTable request unchanged, or a description: the response to DescribeTable, or a dump. */
async function fromFile(file: string, name: string | undefined): Promise<WantedTable> {
  const json = await readJson(file);
  const described = json["TableDescription"] ?? json["Table"];
  if (isObject(described)) {
    const settings = settingsIn(json, file);
    const { ttlAttribute } = settings;
    return { input: createInputOf(described as TableDescription, settings, name), ttlAttribute };
  }
  if (json["TableStatus"] !== undefined) return { input: createInputOf(json as TableDescription, {}, name) };
  if (json["KeySchema"] === undefined) {
    throw new CliError(
      "CLI_FILE_INVALID",
      `${file} has no KeySchema: expected a CreateTable request or a description`,
    );
  }
  const input = json as unknown as CreateTableInput;
  return { input: name === undefined ? input : { ...input, TableName: name } };
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    if ((await stat(file)).size > maxFileBytes) {
      throw new CliError("CLI_FILE_INVALID", `${file} is larger than 64 MB: use table import for a dump`);
    }
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw unreadableFile(file, error);
  }
  try {
    const json: unknown = JSON.parse(text);
    if (isObject(json)) return json;
  } catch (error) {
    throw new CliError("CLI_FILE_INVALID", `${file} is not valid JSON`, error);
  }
  throw new CliError("CLI_FILE_INVALID", `${file} must contain one JSON object`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
