import { queryItems } from "@tablekeep/client";
import { type Item, isDynamoError, type Key } from "@tablekeep/core";
import type { DocumentObject } from "../document/document-value.ts";
import { parseJson, printJson } from "../document/json.ts";
import { requestOf } from "../rollouts/rollout-store.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import type { StoreCall } from "../store/store-options.ts";
import type { SyncBase } from "./plan-sync.ts";
import type { SyncedState } from "./three-way-merge.ts";

/** The stored state of the sync of one shadow. */
export interface StoredSync extends ShadowId {
  /** Undefined if the shadow was never synced. */
  readonly base?: SyncBase;
  /** When both sides were last found or made equal, in milliseconds since 1970. */
  readonly syncedAt?: number;
  /** Why it cannot be synced; undefined if it can. */
  readonly problem?: string;
  /** Increases with each change. */
  readonly revision: number;
}

/** The items of one cloud, by its name. */
const partitionOf = (cloud: string) => `SYNC#${cloud}`;

function keyOf(cloud: string, { id, name }: ShadowId): Key {
  // Names that AWS accepts have no #.
  return { PK: { S: partitionOf(cloud) }, SK: { S: `${id}#${name}` } };
}

/** Returns the stored state of a shadow's sync; undefined if there is none. */
export async function readSync(
  call: StoreCall,
  cloud: string,
  shadow: ShadowId,
): Promise<StoredSync | undefined> {
  const input = { TableName: call.options.table, Key: keyOf(cloud, shadow), ConsistentRead: true };
  const { Item } = await call.port.getItem(input, requestOf(call));
  return Item && syncOf(Item);
}

/** Returns the stored sync states of all shadows of a cloud, without the documents. */
export async function* listSyncs(call: StoreCall, cloud: string): AsyncGenerator<StoredSync> {
  const params = {
    TableName: call.options.table,
    KeyConditionExpression: "PK = :cloud",
    ExpressionAttributeValues: { ":cloud": { S: partitionOf(cloud) } },
    ProjectionExpression: "PK, SK, LocalVersion, CloudVersion, SyncedAt, Problem, Revision",
    ConsistentRead: true,
  };
  for await (const item of queryItems(call.port, params, call.request())) yield syncOf(item);
}

/** Stores the state of a shadow's sync. Returns false if the item has changed since it was read. */
export async function writeSync(
  call: StoreCall,
  cloud: string,
  next: Omit<StoredSync, "revision">,
  read: StoredSync | undefined,
): Promise<boolean> {
  const Item = { ...keyOf(cloud, next), ...itemOf(next), Revision: { N: String((read?.revision ?? 0) + 1) } };
  return isStored(() =>
    call.port.putItem({ TableName: call.options.table, Item, ...condition(read) }, requestOf(call)),
  );
}

/** Removes a shadow that neither side has. Returns false if the stored item has changed since it was read. */
export async function removeSync(call: StoreCall, cloud: string, read: StoredSync): Promise<boolean> {
  const input = { TableName: call.options.table, Key: keyOf(cloud, read), ...condition(read) };
  return isStored(() => call.port.deleteItem(input, requestOf(call)));
}

function condition(read: StoredSync | undefined) {
  if (read === undefined) return { ConditionExpression: "attribute_not_exists(PK)" };
  return {
    ConditionExpression: "Revision = :read",
    ExpressionAttributeValues: { ":read": { N: String(read.revision) } },
  };
}

async function isStored(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
    throw error;
  }
}

function itemOf({ base, syncedAt, problem }: Omit<StoredSync, "revision">): Item {
  return {
    ...(base && {
      LocalVersion: { N: String(base.local) },
      CloudVersion: { N: String(base.cloud) },
      Agreed: { S: textOf(base.agreed) },
      ...(base.pending && {
        Pending: {
          M: {
            ...(base.pending.local && { Local: { S: textOf(base.pending.local) } }),
            ...(base.pending.cloud && { Cloud: { S: textOf(base.pending.cloud) } }),
          },
        },
      }),
    }),
    ...(syncedAt !== undefined && { SyncedAt: { N: String(Math.floor(syncedAt)) } }),
    ...(problem !== undefined && { Problem: { S: problem } }),
  };
}

function syncOf(item: Item): StoredSync {
  const [id = "", name = ""] = (item["SK"]?.S ?? "").split("#");
  const { LocalVersion, CloudVersion, Agreed, Pending, SyncedAt, Problem, Revision } = item;
  const pending = Pending?.M;
  return {
    id,
    name,
    revision: Number(Revision?.N),
    ...(LocalVersion && {
      base: {
        local: Number(LocalVersion.N),
        cloud: Number(CloudVersion?.N),
        agreed: stateOf(Agreed?.S) ?? {},
        ...(pending && {
          pending: { local: stateOf(pending["Local"]?.S), cloud: stateOf(pending["Cloud"]?.S) },
        }),
      },
    }),
    ...(SyncedAt && { syncedAt: Number(SyncedAt.N) }),
    ...(Problem?.S !== undefined && { problem: Problem.S }),
  };
}

function textOf({ desired, reported }: SyncedState): string {
  const document: DocumentObject = { ...(desired && { desired }), ...(reported && { reported }) };
  return printJson(document);
}

function stateOf(text: string | undefined): SyncedState | undefined {
  return text === undefined ? undefined : (parseJson(text) as DocumentObject as SyncedState);
}
