import { batchGet, batchWrite, decodePageCursor, encodePageCursor, newWriteId } from "@tablekeep/client";
import {
  type Item,
  isDynamoError,
  type OptionChecks,
  optionCheck,
  type QueryInput,
  type TransactWriteItem,
} from "@tablekeep/core";
import { checkCall, type ShadowCallOptions } from "../model/call-options.ts";
import { checkOptions, optionInvalid } from "../model/shadow-error.ts";
import { parseQuery } from "../query/parse-query.ts";
import { groupsIn } from "../query/query-condition.ts";
import { beginCall, type StoreCall, type StoreContext } from "../store/store-options.ts";
import type { GroupPageRequest, ShadowGroup, ShadowGroups } from "./shadow-groups.ts";
import {
  groupItem,
  groupKey,
  groupKind,
  groupNotFound,
  groupPartition,
  memberKey,
  memberPartition,
  readGroup,
  type StoredGroup,
} from "./stored-group.ts";

/** A transaction has at most 100 actions: one for the group, and the others for its things. */
const thingsPerRequest = 99;
/** AWS: the longest name of a thing, in bytes, which is more than enough for other names. */
const maxThingBytes = 1_024;
const maxThings = 10_000;

const groupChecks: OptionChecks<ShadowGroup> = {
  name: (value) =>
    typeof value === "string" && /^[\w:-]{1,128}$/.test(value)
      ? undefined
      : "must be 1 to 128 letters, digits, :, _ and -",
  query: optionCheck.string,
};
const pageChecks: OptionChecks<GroupPageRequest> = {
  limit: optionCheck.integer(1, 1000),
  token: optionCheck.string,
};

/** The groups in the table of a store. */
export function openGroups(context: StoreContext): ShadowGroups {
  const begin = (call: ShadowCallOptions = {}) => {
    checkCall(call);
    return beginCall(context, call);
  };
  const begun = (name: string, given?: ShadowCallOptions) => {
    checkOptions<ShadowGroup>({ name }, groupChecks);
    return begin(given);
  };
  return {
    async save(group, given) {
      checkOptions(group, groupChecks);
      if (group.query !== undefined && groupsIn(parseQuery(group.query)).length > 0)
        throw optionInvalid("query", "of a group must not name groups");
      await saveGroup(begun(group.name, given), group);
    },
    async get(name, given) {
      const found = await findGroup(begun(name, given), name);
      return found && shown(found);
    },
    async list(request = {}, given) {
      const { items, token } = await readPage(begin(given), groupPartition, request);
      const groups = items.map(readGroup).filter(({ kind }) => kind !== "deleting");
      return { groups: groups.map(shown), ...(token !== undefined && { token }) };
    },
    delete: async (name, given) => deleteGroup(begun(name, given), name),
    add: async (name, things, given) => changeThings(begun(name, given), name, things, "Put"),
    remove: async (name, things, given) => changeThings(begun(name, given), name, things, "Delete"),
    async things(name, request = {}, given) {
      const call = begun(name, given);
      const group = await staticGroup(call, name);
      const { items, token } = await readPage(call, memberPartition(group), request);
      const things = items.map((item) => item["SK"]?.S ?? "");
      return { things, ...(token !== undefined && { token }) };
    },
  };
}

/** Reads a group; undefined if there is none, or if it is being deleted. */
export async function findGroup(call: StoreCall, name: string): Promise<StoredGroup | undefined> {
  const group = await storedGroup(call, name);
  return group?.kind === "deleting" ? undefined : group;
}

async function storedGroup(call: StoreCall, name: string): Promise<StoredGroup | undefined> {
  const input = { TableName: call.options.table, Key: groupKey(name), ConsistentRead: true };
  const { Item } = await call.port.getItem(input, requestOf(call));
  return Item && readGroup(Item);
}

async function staticGroup(call: StoreCall, name: string): Promise<StoredGroup> {
  const group = await findGroup(call, name);
  if (group === undefined) throw groupNotFound(name);
  if (group.kind === "dynamic")
    throw groupKind(name, "dynamic", `change its query, or search for group = "${name}"`);
  return group;
}

async function saveGroup(call: StoreCall, { name, query }: ShadowGroup): Promise<void> {
  const found = await storedGroup(call, name);
  if (found?.kind === "deleting") await removeGroup(call, found);
  const known = found?.kind === "deleting" ? undefined : found;
  const kind = query === undefined ? "static" : "dynamic";
  if (known !== undefined && known.kind !== kind)
    throw groupKind(name, known.kind as "static" | "dynamic", "delete it first, or use another name");
  if (known !== undefined && known.query === query) return;
  const generation = known?.generation ?? newWriteId();
  await call.port
    .putItem(
      {
        TableName: call.options.table,
        Item: groupItem({ name, kind, generation, ...(query !== undefined && { query }) }),
        // A group that another caller creates at the same time is replaced, if it has the same kind.
        ConditionExpression: "attribute_not_exists(PK) OR (Kind = :kind AND Kind <> :static)",
        ExpressionAttributeValues: { ":kind": { S: kind }, ":static": { S: "static" } },
      },
      requestOf(call),
    )
    .catch(async (error: unknown) => {
      if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
      const other = await findGroup(call, name);
      if (other?.kind !== kind)
        throw groupKind(name, kind === "static" ? "dynamic" : "static", "use another name");
    });
}

/** Marks the group first: then nothing can be added, and the next delete continues an interrupted one. */
async function deleteGroup(call: StoreCall, name: string): Promise<boolean> {
  const group = await storedGroup(call, name);
  if (group === undefined) return false;
  await call.port
    .updateItem(
      {
        TableName: call.options.table,
        Key: groupKey(name),
        UpdateExpression: "SET Kind = :deleting",
        ConditionExpression: "Generation = :generation",
        ExpressionAttributeValues: { ":deleting": { S: "deleting" }, ":generation": { S: group.generation } },
      },
      requestOf(call),
    )
    .catch(ignoreCondition);
  await removeGroup(call, group);
  return group.kind !== "deleting";
}

async function removeGroup(call: StoreCall, group: StoredGroup): Promise<void> {
  const { table } = call.options;
  for (;;) {
    const { items } = await readPage(call, memberPartition(group), { limit: 1_000 });
    if (items.length === 0) break;
    const deletes = items.map((item) => ({
      table,
      delete: memberKey(group, item["SK"]?.S ?? ""),
    }));
    await batchWrite(call.port, deletes, call.request());
  }
  await call.port
    .deleteItem(
      {
        TableName: table,
        Key: groupKey(group.name),
        ConditionExpression: "Generation = :generation",
        ExpressionAttributeValues: { ":generation": { S: group.generation } },
      },
      requestOf(call),
    )
    .catch(ignoreCondition);
}

/** The group was deleted, and possibly created again. */
function ignoreCondition(error: unknown): void {
  if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
}

/** Each transaction checks that the group is still the same: nothing is added to one that is being deleted. */
async function changeThings(
  call: StoreCall,
  name: string,
  things: readonly string[],
  action: "Put" | "Delete",
): Promise<readonly string[]> {
  checkThings(things);
  const group = await staticGroup(call, name);
  const { table: TableName } = call.options;
  const isSame: TransactWriteItem = {
    ConditionCheck: {
      TableName,
      Key: groupKey(name),
      ConditionExpression: "Generation = :generation AND Kind = :static",
      ExpressionAttributeValues: { ":generation": { S: group.generation }, ":static": { S: "static" } },
    },
  };
  const distinct = [...new Set(things)];
  const changed: string[] = [];
  for (let at = 0; at < distinct.length; at += thingsPerRequest) {
    const some = distinct.slice(at, at + thingsPerRequest);
    const members = await membersOf(call, group, some);
    changed.push(...some.filter((thing) => members.has(thing) === (action === "Delete")));
    const actions = some.map((thing): TransactWriteItem => {
      const key = memberKey(group, thing);
      return action === "Put" ? { Put: { TableName, Item: key } } : { Delete: { TableName, Key: key } };
    });
    try {
      await call.port.transactWriteItems({ TransactItems: [isSame, ...actions] }, requestOf(call));
    } catch (error) {
      if (!isDynamoError(error, "TransactionCanceledException")) throw error;
      if ((await findGroup(call, name))?.generation !== group.generation) throw groupNotFound(name);
      throw error;
    }
  }
  return changed;
}

/** Returns the things that are in a group. */
async function membersOf(
  call: StoreCall,
  group: StoredGroup,
  things: readonly string[],
): Promise<ReadonlySet<string>> {
  const { table } = call.options;
  const keys = things.map((thing) => ({ table, key: memberKey(group, thing) }));
  const items = await batchGet(call.port, keys, { consistent: true, ...call.request() });
  return new Set(things.filter((_thing, at) => items[at] !== undefined));
}

function checkThings(things: readonly string[]): void {
  const isThing = (thing: unknown) =>
    typeof thing === "string" && thing !== "" && Buffer.byteLength(thing) <= maxThingBytes;
  if (!Array.isArray(things) || things.length > maxThings || !things.every(isThing))
    throw optionInvalid(
      "things",
      `must be a list of at most ${maxThings} names, each of 1 to ${maxThingBytes} bytes`,
    );
}

async function readPage(
  call: StoreCall,
  partition: string,
  request: GroupPageRequest,
): Promise<{ readonly items: readonly Item[]; readonly token?: string }> {
  checkOptions(request, pageChecks);
  const { limit = 100, token } = request;
  const input: QueryInput = {
    TableName: call.options.table,
    ConsistentRead: true,
    KeyConditionExpression: "PK = :partition",
    ExpressionAttributeValues: { ":partition": { S: partition } },
  };
  const start = token === undefined ? undefined : decodePageCursor(input, token);
  const page = { ...input, Limit: limit, ...(start && { ExclusiveStartKey: start }) };
  const { Items: items = [], LastEvaluatedKey: last } = await call.port.query(page, requestOf(call));
  return { items, ...(last && { token: encodePageCursor(input, last) }) };
}

function shown({ name, query }: StoredGroup): ShadowGroup {
  return { name, ...(query !== undefined && { query }) };
}

/** Options of one request of a call. */
function requestOf(call: StoreCall): { readonly signal?: AbortSignal; readonly deadlineMs: number } {
  const { clock: _clock, random: _random, ...request } = call.request();
  return request;
}
