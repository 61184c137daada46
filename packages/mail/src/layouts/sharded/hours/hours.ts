import { queryPages } from "@tablekeep/client";
import { type Item, isDynamoError, type UpdateItemInput } from "@tablekeep/core";
import {
  isLive,
  type MailCall,
  type MailContext,
  mailCall,
  serverAheadMs,
  sharedNow,
} from "../../../model/mail-context.ts";
import {
  firstIdAt,
  hourKey,
  hourOfKey,
  hourStart,
  hoursPartition,
  type MessageLocation,
} from "../items/mail-keys.ts";
import type { Eras } from "./eras.ts";

const hourSeconds = 3600;
const daySeconds = 86_400;

/** Items that readers need to find messages expire this much later than the messages. */
export const marginSeconds: number = 2 * 86_400;

/** How long after the time in its id a message may still appear: clocks differ, and writes take time. */
export const settlingMs: number = 5 * 60_000;

/** An hour of an era. */
export type HourName = Pick<MessageLocation, "era" | "hour">;

/** The directory's entry for an hour. */
export interface Hour extends HourName {
  /** Maximum number of partitions with its messages. */
  readonly shards: number;
  /** Whether some of its messages may have no index items of their addresses. */
  readonly unaddressed: boolean;
  /** The instances that have stored messages in it, or were about to. */
  readonly writers: readonly string[];
  /** Counts deletes and late stores. */
  readonly generation: number;
  /** Counts late stores, and how many messages were deleted. */
  readonly version: BlockVersion;
  /** Which of its signatures are in blocks; undefined if none are, or if the blocks are stale. */
  readonly blocks: HourBlocks | undefined;
  /** The second since 1970 at which the last of its messages expires. */
  readonly endsAt: number;
  /** Number of messages at `generation`; undefined if they have not been counted since. */
  readonly counted: number | undefined;
  /** Whether some of its messages may have expired. */
  readonly expiring: boolean;
  /**
   * Below this id, all messages had been stored before this was read; {@link allSettled} if the hour had ended on all clocks. Only
   * what is read of these may be cached.
   */
  readonly settledBefore: string;
  /**
   * Whether none of its messages was deleted recently. The effects of a delete become visible item by item: what was read meanwhile
   * must not be cached.
   */
  readonly calm: boolean;
  /** Whether it is calm and had ended: its count may be stored. */
  readonly quiet: boolean;
}

/** The state of an hour when blocks of its signatures were created. */
export interface BlockVersion {
  /**
   * Stores so late that settled messages may have been read before them. A block of an earlier version may lack a message. Deletes by
   * instances that do not count how many messages they delete are included.
   */
  readonly late: number;
  /** Messages that were deleted. Blocks still contain them. */
  readonly removed: number;
}

/** The blocks of an hour: all messages below an id were in them when they were made. Each may be missing. */
export interface HourBlocks extends BlockVersion {
  readonly before: string;
  readonly count: number;
  /** Whether each of these messages existed when its block was made. Then they all exist as long as none is deleted: {@link exactBlocks}. */
  readonly exact: boolean;
}

/** The number of messages of an hour below an id. */
export interface SettledCount {
  readonly generation: number;
  readonly before: string;
  readonly count: number;
}

/** Sorts after all ids. */
export const allSettled = "~";

/** The data by which readers of an hour find a message that was received elsewhere. */
export interface OriginalLocation {
  /** The second since 1970 at which the message expires. */
  readonly expires: number;
  readonly shard: number;
}

/** Enters hours into the directory, each once per process. */
export interface HourDirectory {
  /** Resolves once readers include this hour; undefined if they already do. */
  enter(name: HourName, original?: OriginalLocation): Promise<void> | undefined;
  /** Returns the current era, and all its hours that may contain live messages, newest first. */
  read(call: MailCall): Promise<CurrentHours>;
}

/** The hours of the current era. */
export interface CurrentHours {
  readonly era: string;
  readonly hours: readonly Hour[];
  /** Whether items of earlier eras are left. */
  readonly leftovers: boolean;
}

/** An instance that stores messages. */
interface HourWriter {
  readonly name: string;
  readonly indexesAddresses: boolean;
}

/** Creates the directory of hours, which avoids requests for hours without messages. */
export function hourDirectory(context: MailContext, eras: Eras, writer: HourWriter): HourDirectory {
  const entered = new Map<string, Promise<void> | undefined>();
  const usual: HourReach = { ttls: [context.ttlDays * daySeconds], shards: context.shards };
  return {
    enter(name, original) {
      const reach = original === undefined ? usual : reachOf(context, name, original);
      const key = `${name.era}#${name.hour}${reach === usual ? "" : `#${JSON.stringify(reach)}`}`;
      if (entered.has(key)) return entered.get(key);
      if (entered.size > 100) entered.clear();
      // Several stores may wait for this: aborting one must not abort the others.
      const entry = enterHour(context, name, { ...reach, writer }, mailCall(context));
      entered.set(key, entry);
      entry.then(
        () => entered.set(key, undefined),
        () => entered.delete(key),
      );
      return entry;
    },
    read: (call) => readHours(context, eras, call),
  };
}

/** Seconds after the start of an hour, or later in it, at which messages expire, and the number of partitions. */
interface HourReach {
  readonly ttls: readonly number[];
  readonly shards: number;
}

/** A message that was received elsewhere lives longer than others of its hour: whole days below and above that are entered. */
function reachOf(
  { shards }: Pick<MailContext, "shards">,
  { hour }: HourName,
  original: OriginalLocation,
): HourReach {
  const days = (original.expires - hourStart(hour) / 1000) / daySeconds;
  return {
    ttls: [...new Set([Math.floor(days) * daySeconds, Math.ceil(days) * daySeconds])],
    shards: Math.max(shards, original.shard + 1),
  };
}

async function enterHour(
  context: MailContext,
  name: HourName,
  { ttls, shards, writer }: HourReach & { readonly writer: HourWriter },
  call: MailCall,
): Promise<void> {
  const expires = hourStart(name.hour) / 1000 + hourSeconds + Math.max(...ttls) + marginSeconds;
  const input = {
    TableName: context.table,
    Key: hourKey(name),
    ExpressionAttributeValues: {
      ":shards": { NS: [String(shards)] },
      ":ttls": { NS: ttls.map(String) },
      ":writers": { SS: [writer.name] },
      ...(!writer.indexesAddresses && { ":true": { BOOL: true } }),
    },
  };
  const sets = writer.indexesAddresses ? [] : ["unaddressed = :true"];
  const update = (...more: readonly string[]) => {
    const set = [...sets, ...more].join(", ");
    return `${set === "" ? "" : `SET ${set} `}ADD shards :shards, ttls :ttls, writers :writers`;
  };
  const whole: UpdateItemInput = {
    ...input,
    UpdateExpression: update("expires = :expires"),
    ConditionExpression: "attribute_not_exists(expires) OR expires <= :expires",
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ":expires": { N: String(expires) } },
  };
  try {
    await context.port.updateItem(whole, { ...call, idempotent: true });
  } catch (error) {
    // A store with a longer time to live has written the entry.
    if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
    await context.port.updateItem({ ...input, UpdateExpression: update() }, { ...call, idempotent: true });
  }
}

async function readHours(context: MailContext, eras: Eras, call: MailCall): Promise<CurrentHours> {
  const hours: Hour[] = [];
  let era = eras.known;
  let isRead = false;
  const begunAt = context.clock.now();
  const pages = queryPages(
    context.port,
    {
      TableName: context.table,
      KeyConditionExpression: "pk = :hours",
      ExpressionAttributeValues: { ":hours": { S: hoursPartition } },
      ScanIndexForward: false,
      ConsistentRead: true,
    },
    call,
  );
  for await (const { Items } of pages) {
    // The response shows whether this machine's clock is right.
    const readAt = begunAt + serverAheadMs(context);
    for (const item of Items ?? []) {
      // Sorts before all hours when read from the end.
      if (item["number"] !== undefined) {
        era = eras.seen(item["number"].N);
        isRead = true;
      }
      const name = hourOfKey(item["sk"]?.S ?? "");
      if (name === undefined) continue;
      if (name.era < era) return { era, hours, leftovers: true };
      if (name.era === era) hours.push(...readHour(context, name, item, readAt));
    }
  }
  if (!isRead) eras.seen(undefined);
  return { era, hours, leftovers: false };
}

function readHour(context: MailContext, name: HourName, item: Item, readAt: number): Hour[] {
  const start = hourStart(name.hour) / 1000;
  const numbers = (name: string) => (item[name]?.NS ?? []).map(Number);
  const ttls = numbers("ttls");
  // The item has only a generation: no message was stored in this hour.
  if (Number.isNaN(start) || ttls.length === 0) return [];
  if (!isLive(context, start + hourSeconds + Math.max(...ttls))) return [];
  const generation = Number(item["gen"]?.N ?? 0);
  const counted = item["counted"]?.N;
  const settledAt = (start + hourSeconds) * 1000 + settlingMs;
  const calm = readAt >= Number(item["changed"]?.N ?? 0) + settlingMs;
  const version = versionOfHour(item);
  const isCurrent = counted !== undefined && Number(item["countgen"]?.N) === generation;
  return [
    {
      ...name,
      shards: Math.max(...numbers("shards")),
      unaddressed: item["unaddressed"]?.BOOL ?? false,
      writers: item["writers"]?.SS ?? [],
      generation,
      version,
      blocks: currentBlocks(item, version),
      endsAt: start + hourSeconds + Math.max(...ttls),
      counted: isCurrent ? Number(counted) : undefined,
      expiring: !isLive(context, start + Math.min(...ttls)),
      settledBefore: readAt >= settledAt ? allSettled : firstIdAt(readAt - settlingMs),
      calm,
      quiet: calm && readAt >= settledAt,
    },
  ];
}

/** The version of an hour's entry. Deletes count as such only if they say so: every other change may be a late store. */
export function versionOfHour(item: Item | undefined): BlockVersion {
  const number = (name: string) => Number(item?.[name]?.N ?? 0);
  return { late: number("gen") - number("removals"), removed: number("removed") };
}

/** Blocks with more deleted messages than this part of all are not used: a search would read their summaries in vain. */
const mostRemoved = 1 / 4;

function currentBlocks(item: Item, version: BlockVersion): HourBlocks | undefined {
  const [late, removed, count, before, exact] = (item["blocks"]?.S ?? "").split(" ");
  if (before === undefined) return undefined;
  const blocks = {
    ...{ late: Number(late), removed: Number(removed), count: Number(count), before },
    exact: exact === "exact",
  };
  const isCurrent =
    blocks.late === version.late && version.removed - blocks.removed <= blocks.count * mostRemoved;
  return isCurrent ? blocks : undefined;
}

/** The blocks of an hour, if they contain exactly the messages that exist below their end. */
export function exactBlocks({ blocks, version, expiring }: Hour): HourBlocks | undefined {
  const isExact = blocks?.exact === true && blocks.removed === version.removed && !expiring;
  return isExact ? blocks : undefined;
}

/** Enters the blocks of an hour, in few bytes: every call reads the directory. Returns the whole entry. */
export function blocksUpdate(
  { table }: Pick<MailContext, "table">,
  hour: HourName,
  { late, removed, count, before, exact }: HourBlocks,
): UpdateItemInput {
  const blocks = `${late} ${removed} ${count} ${before}${exact ? " exact" : ""}`;
  return {
    TableName: table,
    Key: hourKey(hour),
    UpdateExpression: "SET blocks = :blocks",
    // The messages of an hour that is no longer there are deleted.
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":blocks": { S: blocks } },
    ReturnValues: "ALL_NEW",
  };
}

/** Invalidates what is cached about an hour, because of a late store or of deletes. */
export function generationUpdate(
  context: Pick<MailContext, "table" | "clock" | "port">,
  hour: HourName,
  removed = 0,
): UpdateItemInput {
  const { table } = context;
  const now = { ":one": { N: "1" }, ":now": { N: String(Math.floor(sharedNow(context))) } };
  const added = "SET changed = :now ADD gen :one";
  const input = { TableName: table, Key: hourKey(hour) };
  if (removed === 0) return { ...input, UpdateExpression: added, ExpressionAttributeValues: now };
  return {
    ...input,
    UpdateExpression: `${added}, removals :one, removed :removed`,
    ExpressionAttributeValues: { ...now, ":removed": { N: String(removed) } },
  };
}
