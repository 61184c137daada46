import {
  type DynamoPort,
  isDynamoError,
  isTablekeepError,
  type TableDescription,
  type Tag,
} from "@tablekeep/core";
import { CliError } from "../frame/cli-error.ts";

/** Settings of a table that its description does not contain. */
export interface TableSettings {
  /** The attribute by which items expire. */
  readonly ttlAttribute?: string;
  readonly tags?: readonly Tag[];
}

/** The members of a dump with settings, named as in DynamoDB's responses. */
export const settingNames = ["TimeToLiveDescription", "Tags"] as const;

/** Reads the settings of a table. A setting that this user may not read, or that a server does not support, counts as not set. */
export async function readSettings(
  port: DynamoPort,
  { TableName, TableArn }: TableDescription,
  signal: AbortSignal,
): Promise<TableSettings> {
  const ttlAttribute = await unlessDenied(() => readTtl(port, TableName, signal));
  const tags = TableArn === undefined ? [] : await unlessDenied(() => readTags(port, TableArn, signal));
  // Only AWS may set its own tags.
  const own = (tags ?? []).filter(({ Key }) => Key?.startsWith("aws:") === false);
  return { ttlAttribute, ...(own.length > 0 && { tags: own }) };
}

/** The attribute by which the items of a table expire, if they do. */
export async function readTtl(
  port: DynamoPort,
  TableName: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { TimeToLiveDescription } = await port.describeTimeToLive({ TableName }, { signal });
  return ttlAttributeOf(TimeToLiveDescription);
}

/** The settings as members of a dump, except those that are not set. */
export function settingMembers({ ttlAttribute, tags }: TableSettings): object {
  return {
    ...(ttlAttribute !== undefined && {
      TimeToLiveDescription: { TimeToLiveStatus: "ENABLED", AttributeName: ttlAttribute },
    }),
    ...(tags !== undefined && { Tags: tags }),
  };
}

/** The settings in the members of a dump. */
export function settingsIn(members: Readonly<Record<string, unknown>>, path: string): TableSettings {
  const { TimeToLiveDescription: ttl, Tags: tags } = members;
  if (ttl !== undefined && (typeof ttl !== "object" || ttl === null)) {
    throw new CliError("CLI_DUMP_INVALID", `${path} is not a dump: TimeToLiveDescription must be an object`);
  }
  if (tags !== undefined && !(Array.isArray(tags) && tags.every(isTag))) {
    throw new CliError("CLI_DUMP_INVALID", `${path} is not a dump: Tags must be an array of keys and values`);
  }
  return { ttlAttribute: ttlAttributeOf(ttl), tags };
}

function ttlAttributeOf(description: object | undefined): string | undefined {
  const { TimeToLiveStatus, AttributeName } = (description ?? {}) as Record<string, unknown>;
  const isOn = TimeToLiveStatus === "ENABLED" || TimeToLiveStatus === "ENABLING";
  return isOn && typeof AttributeName === "string" ? AttributeName : undefined;
}

function isTag(found: unknown): found is Tag {
  const { Key, Value } = (found ?? {}) as Record<string, unknown>;
  return typeof Key === "string" && typeof Value === "string";
}

async function readTags(port: DynamoPort, ResourceArn: string, signal: AbortSignal): Promise<Tag[]> {
  const tags: Tag[] = [];
  let NextToken: string | undefined;
  do {
    const page = await port.listTagsOfResource({ ResourceArn, ...(NextToken && { NextToken }) }, { signal });
    tags.push(...(page.Tags ?? []));
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return tags;
}

async function unlessDenied<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isTablekeepError(error) && error.kind === "denied") return undefined;
    if (isDynamoError(error, "UnknownOperationException")) return undefined;
    throw error;
  }
}
