import type { AttributeDefinition, DynamoPort, StreamViewType, UpdateTableInput } from "@tablekeep/core";
import { HttpError } from "../http/http-route.ts";
import type { KeyFact, TableFacts } from "./table-facts.ts";

/** What a stream may contain. */
export const streamViews = ["NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY"] as const;

/** A new index. */
export interface NewIndex {
  readonly name: string;
  readonly partitionKey: KeyFact;
  readonly sortKey?: KeyFact;
  /** All attributes, the keys only, or the names of attributes besides the keys. */
  readonly projection: "all" | "keys" | readonly string[];
}

/** One change to a table: DynamoDB makes one at a time. */
export type TableSettingChange =
  | { readonly createIndex: NewIndex }
  | { readonly deleteIndex: string }
  /** Null disables the stream. */
  | { readonly stream: StreamViewType | null }
  /** The attribute with the time; null disables it. */
  | { readonly timeToLive: string | null };

const kinds = ["createIndex", "deleteIndex", "stream", "timeToLive"] as const;

/** Parses a change. Throws an error with status 400 that explains the problem. */
export function parseTableChange(body: unknown): TableSettingChange {
  const members = membersOf(body);
  const names = Object.keys(members);
  const [kind] = names;
  if (names.length !== 1 || !kinds.some((each) => each === kind))
    throw new HttpError(400, `the body must have one of ${kinds.join(", ")}`);
  if (kind === "createIndex") return { createIndex: parseIndex(members[kind]) };
  if (kind === "deleteIndex") return { deleteIndex: nonEmpty(members[kind], "deleteIndex") };
  if (kind === "timeToLive") {
    const { timeToLive } = members;
    return { timeToLive: timeToLive === null ? null : nonEmpty(timeToLive, "timeToLive") };
  }
  const { stream } = members;
  const view = streamViews.find((each) => each === stream);
  if (stream !== null && view === undefined)
    throw new HttpError(400, `stream must be null or one of ${streamViews.join(", ")}`);
  return { stream: view ?? null };
}

/** Carries out a change to a table. Indexes may take a while until they can be read. */
export async function changeTable(
  port: DynamoPort,
  table: TableFacts,
  change: TableSettingChange,
  signal: AbortSignal,
): Promise<void> {
  const TableName = table.name;
  if ("timeToLive" in change) return changeTimeToLive(port, TableName, change.timeToLive, signal);
  const input = "stream" in change ? streamInput(change.stream) : indexInput(table, change);
  await port.updateTable({ TableName, ...input }, { signal });
}

type Input = Omit<UpdateTableInput, "TableName">;

function streamInput(stream: StreamViewType | null): Input {
  const enabled = stream !== null && { StreamViewType: stream };
  return { StreamSpecification: { StreamEnabled: stream !== null, ...enabled } };
}

function indexInput(
  table: TableFacts,
  change: Exclude<TableSettingChange, { readonly stream: unknown } | { readonly timeToLive: unknown }>,
): Input {
  if ("deleteIndex" in change)
    return { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: change.deleteIndex } }] };
  const { name, partitionKey, sortKey, projection } = change.createIndex;
  const keys = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  const Create = {
    IndexName: name,
    KeySchema: keys.map((key, at) => ({
      AttributeName: key.name,
      KeyType: at === 0 ? ("HASH" as const) : ("RANGE" as const),
    })),
    Projection:
      typeof projection === "string"
        ? { ProjectionType: projection === "all" ? ("ALL" as const) : ("KEYS_ONLY" as const) }
        : { ProjectionType: "INCLUDE" as const, NonKeyAttributes: [...projection] },
  };
  return {
    AttributeDefinitions: definitions(table, keys),
    GlobalSecondaryIndexUpdates: [{ Create }],
  };
}

/** The attributes of all keys: DynamoDB expects the existing ones along with the new ones. */
function definitions(table: TableFacts, added: readonly KeyFact[]): AttributeDefinition[] {
  const known = [table, ...table.indexes].flatMap(({ partition, sort }) => [
    partition,
    ...(sort ? [sort] : []),
  ]);
  const types = new Map(known.map(({ name, type }) => [name, type]));
  for (const { name, type } of added) {
    const before = types.get(name);
    if (before !== undefined && before !== type)
      throw new HttpError(400, `${name} is of type ${before} in another key of the table`);
    types.set(name, type);
  }
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
}

/** Disabling it needs the name of the attribute. */
async function changeTimeToLive(
  port: DynamoPort,
  TableName: string,
  attribute: string | null,
  signal: AbortSignal,
): Promise<void> {
  const AttributeName = attribute ?? (await timeToLiveOf(port, TableName, signal));
  if (AttributeName === undefined) return;
  const TimeToLiveSpecification = { Enabled: attribute !== null, AttributeName };
  await port.updateTimeToLive({ TableName, TimeToLiveSpecification }, { signal });
}

/** The attribute with the time at which an item expires; undefined if items do not. */
export async function timeToLiveOf(
  port: DynamoPort,
  TableName: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { TimeToLiveDescription } = await port.describeTimeToLive({ TableName }, { signal });
  const { TimeToLiveStatus, AttributeName } = TimeToLiveDescription ?? {};
  return TimeToLiveStatus === "ENABLED" || TimeToLiveStatus === "ENABLING" ? AttributeName : undefined;
}

function parseIndex(given: unknown): NewIndex {
  const { name, partitionKey, sortKey, projection = "all" } = membersOf(given);
  const isList = Array.isArray(projection) && projection.every((each) => typeof each === "string");
  if (projection !== "all" && projection !== "keys" && !isList)
    throw new HttpError(400, "projection must be all, keys or a list of attributes");
  return {
    name: nonEmpty(name, "the name of an index"),
    partitionKey: parseKeyDefinition(partitionKey, "partitionKey"),
    ...(sortKey !== undefined && { sortKey: parseKeyDefinition(sortKey, "sortKey") }),
    projection: projection as NewIndex["projection"],
  };
}

/** Parses an attribute of a key; its type is S by default. */
export function parseKeyDefinition(given: unknown, where: string): KeyFact {
  const { name, type = "S" } = membersOf(given);
  if (typeof name !== "string" || name === "" || (type !== "S" && type !== "N" && type !== "B"))
    throw new HttpError(400, `${where} must have a name, and a type S, N or B`);
  return { name, type };
}

/** The members of an object; none if it is not one. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function nonEmpty(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new HttpError(400, `${name} must be a non-empty string`);
}
