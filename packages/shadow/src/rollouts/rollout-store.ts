import { batchWrite, queryItems } from "@tablekeep/client";
import { type Item, isDynamoError, type TransactWriteItem, type UpdateItemInput } from "@tablekeep/core";
import type { StoreCall } from "../store/store-options.ts";
import type { RolloutPhase } from "./rollout.ts";
import {
  activePhases,
  listPartition,
  newThingItem,
  readRollout,
  readThing,
  rolloutKey,
  type StoredRollout,
  type StoredThing,
  thingAttributes,
  thingKey,
  wavePrefix,
} from "./rollout-items.ts";

/** Milliseconds for which a runner has a rollout for itself. It only saves work: the epoch is the fence. */
export const leaseMs = 10_000;
/** A transaction has at most 100 actions: the fence, and things. */
const thingsPerRequest = 99;

/** Thrown when a request, or another runner, has taken over. Nothing was written. */
export class Superseded extends Error {}

/** Returns a rollout; undefined if there is none. */
export async function findRollout(call: StoreCall, name: string): Promise<StoredRollout | undefined> {
  const input = { TableName: call.options.table, Key: rolloutKey(name), ConsistentRead: true };
  const { Item } = await call.port.getItem(input, requestOf(call));
  return Item && readRollout(Item);
}

/** Changes to a rollout besides its phase. `undefined` removes an attribute. */
export type RolloutChange = Readonly<Record<string, Item[string] | undefined>>;

interface ChangeRequest {
  readonly name: string;
  /** Only in these phases. */
  readonly from: readonly RolloutPhase[];
  /** Only in this epoch. @default any */
  readonly epoch?: number;
  readonly condition?: string;
  readonly values?: Item;
  readonly change: RolloutChange;
}

/** Changes a rollout and raises its epoch. Returns it, or undefined if the conditions do not hold. */
export async function changeRollout(
  call: StoreCall,
  request: ChangeRequest,
): Promise<StoredRollout | undefined> {
  const { name, from, epoch, condition, values, change } = request;
  const entries = Object.entries(change);
  const sets = entries.filter(([, value]) => value !== undefined).map(([key]) => `#${key} = :${key}`);
  const removes = entries.filter(([, value]) => value === undefined).map(([key]) => `#${key}`);
  const phases = from.map((_, at) => `:from${at}`);
  const conditions = [
    `Phase IN (${phases.join(", ")})`,
    ...(epoch === undefined ? [] : ["Epoch = :epoch"]),
    ...(condition === undefined ? [] : [condition]),
  ];
  const input: UpdateItemInput = {
    TableName: call.options.table,
    Key: rolloutKey(name),
    UpdateExpression: [
      ...(sets.length > 0 ? [`SET ${sets.join(", ")}`] : []),
      ...(removes.length > 0 ? [`REMOVE ${removes.join(", ")}`] : []),
      "ADD Epoch :one",
    ].join(" "),
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(entries.map(([key]) => [`#${key}`, key])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(
        entries.flatMap(([key, value]) => (value === undefined ? [] : [[`:${key}`, value]])),
      ),
      ...Object.fromEntries(from.map((phase, at) => [`:from${at}`, { S: phase }])),
      ...(epoch !== undefined && { ":epoch": { N: String(epoch) } }),
      ...values,
      ":one": { N: "1" },
    },
    ReturnValues: "ALL_NEW",
  };
  try {
    const { Attributes = {} } = await call.port.updateItem(input, requestOf(call));
    return readRollout(Attributes);
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
    throw error;
  }
}

/** Takes a rollout for one runner, unless another has it or there is nothing to do. */
export async function claimRollout(
  call: StoreCall,
  name: string,
  runner: string,
): Promise<StoredRollout | undefined> {
  const now = call.options.clock.now();
  return changeRollout(call, {
    name,
    from: activePhases,
    condition: "(attribute_not_exists(Runner) OR Runner = :runner OR LeaseUntil <= :now)",
    values: { ":runner": { S: runner }, ":now": { N: String(now) } },
    change: { Runner: { S: runner }, LeaseUntil: { N: String(now + leaseMs) } },
  });
}

/** The action that makes a transaction fail once another runner has taken over. */
function fenceOf(call: StoreCall, { name, epoch }: StoredRollout): TransactWriteItem {
  return {
    ConditionCheck: {
      TableName: call.options.table,
      Key: rolloutKey(name),
      ConditionExpression: "Epoch = :epoch",
      ExpressionAttributeValues: { ":epoch": { N: String(epoch) } },
    },
  };
}

/** Stores the things of a list, fenced. */
export async function storeThings(
  call: StoreCall,
  rollout: StoredRollout,
  list: string,
  things: readonly Pick<StoredThing, "wave" | "thing">[],
): Promise<void> {
  const { table: TableName } = call.options;
  for (let at = 0; at < things.length; at += thingsPerRequest) {
    const puts = things
      .slice(at, at + thingsPerRequest)
      .map((thing) => ({ Put: { TableName, Item: newThingItem(rollout.name, list, thing) } }));
    await fenced(() =>
      call.port.transactWriteItems({ TransactItems: [fenceOf(call, rollout), ...puts] }, requestOf(call)),
    );
  }
}

/** Runs a fenced transaction: a failed fence is {@link Superseded}. Returns false if another condition failed. */
async function fenced(transaction: () => Promise<unknown>): Promise<boolean> {
  try {
    await transaction();
    return true;
  } catch (error) {
    if (!isDynamoError(error, "TransactionCanceledException")) throw error;
    const reasons = (error.details as { cancellationReasons?: readonly { Code?: string }[] })
      .cancellationReasons;
    if (reasons?.[0]?.Code === "ConditionalCheckFailed")
      throw new Superseded("the rollout has another runner");
    if (reasons?.some(({ Code }) => Code === "ConditionalCheckFailed")) return false;
    throw error;
  }
}

/** Removes a list that no attempt uses any longer. */
export async function removeList(call: StoreCall, name: string, list: string): Promise<void> {
  const { table } = call.options;
  const deletes: { readonly table: string; readonly delete: Item }[] = [];
  for await (const item of itemsOf(call, listPartition(name, list), "")) {
    const { PK, SK } = item;
    if (PK !== undefined && SK !== undefined) deletes.push({ table, delete: { PK, SK } });
  }
  if (deletes.length > 0) await batchWrite(call.port, deletes, call.request());
}

/** The things of a wave. */
export async function thingsOfWave(
  call: StoreCall,
  rollout: StoredRollout,
  wave: number,
): Promise<StoredThing[]> {
  const { name, list = "" } = rollout;
  const found: StoredThing[] = [];
  for await (const item of itemsOf(call, listPartition(name, list), wavePrefix(wave)))
    found.push(readThing(item));
  return found;
}

function itemsOf(call: StoreCall, partition: string, prefix: string): AsyncIterable<Item> {
  return queryItems(
    call.port,
    {
      TableName: call.options.table,
      ConsistentRead: true,
      KeyConditionExpression: prefix === "" ? "PK = :pk" : "PK = :pk AND begins_with(SK, :prefix)",
      ExpressionAttributeValues: {
        ":pk": { S: partition },
        ...(prefix !== "" && { ":prefix": { S: prefix } }),
      },
    },
    call.request(),
  );
}

/** Reads one thing again. */
export async function findThing(
  call: StoreCall,
  rollout: StoredRollout,
  thing: StoredThing,
): Promise<StoredThing> {
  const Key = thingKey(rollout.name, rollout.list ?? "", thing);
  const { Item } = await call.port.getItem(
    { TableName: call.options.table, Key, ConsistentRead: true },
    requestOf(call),
  );
  return Item === undefined ? { ...thing, status: "failed" } : readThing(Item);
}

/** Changes a thing if it is unchanged since it was read, and no other runner has taken over. Returns false if it is not. */
export async function changeThing(
  call: StoreCall,
  rollout: StoredRollout,
  read: StoredThing,
  change: Omit<StoredThing, "thing" | "wave">,
): Promise<boolean> {
  const attributes = thingAttributes(change);
  const names = Object.keys(attributes);
  const isSame = read.from === undefined ? "attribute_not_exists(FromVersion)" : "FromVersion = :read";
  const update: TransactWriteItem = {
    Update: {
      TableName: call.options.table,
      Key: thingKey(rollout.name, rollout.list ?? "", read),
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(", ")}${change.reason === undefined ? " REMOVE Why" : ""}`,
      ConditionExpression: `#State = :was AND ${isSame}`,
      ExpressionAttributeNames: Object.fromEntries([...names, "State"].map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(names.map((name) => [`:${name}`, attributes[name] as Item[string]])),
        ":was": { S: read.status },
        ...(read.from !== undefined && { ":read": { N: String(read.from) } }),
      },
    },
  };
  return fenced(() =>
    call.port.transactWriteItems({ TransactItems: [fenceOf(call, rollout), update] }, requestOf(call)),
  );
}

/** Options of one request of a call. */
export function requestOf(call: StoreCall): { readonly signal?: AbortSignal; readonly deadlineMs: number } {
  const { clock: _clock, random: _random, ...request } = call.request();
  return request;
}
