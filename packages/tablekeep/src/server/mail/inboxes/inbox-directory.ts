import { queryItems, waitWithin } from "@tablekeep/client";
import { type CallOptions, type Clock, type DynamoPort, isDynamoError } from "@tablekeep/core";
import { type InboxDefinition, readDefinition, writeDefinition } from "./inbox-definition.ts";

/** The inboxes of a mail table, in the table itself, so that all servers know them. */
export interface InboxDirectory {
  /** The inboxes as this server last read them; undefined if that was too long ago. */
  readonly known: ReadonlyMap<string, InboxDefinition> | undefined;
  /** The inboxes as this server last read them. */
  readonly last: ReadonlyMap<string, InboxDefinition>;
  /** The inboxes, at most a second old. */
  read(call?: CallOptions): Promise<ReadonlyMap<string, InboxDefinition>>;
  save(definition: InboxDefinition, call?: CallOptions): Promise<void>;
  remove(name: string, call?: CallOptions): Promise<void>;
  /** Enters an inbox that gets a message, for as long as messages live: once a day for each, and after another server has removed it. */
  enter(name: string): Promise<void>;
}

/** Milliseconds after which changes by other servers are read. */
const freshMs = 1_000;

const dayMs = 86_400_000;

export interface DirectoryOptions {
  readonly port: DynamoPort;
  readonly table: string;
  readonly ttlDays: number;
  readonly clock: Clock;
}

const keyOf = (name: string) => ({ pk: { S: "inboxes" }, sk: { S: name } });

/** Changes a copy of the inboxes. */
type Change = (inboxes: Map<string, InboxDefinition>) => void;

/** The inboxes after changes, by name: rules are tried in this order. */
function changed(
  inboxes: ReadonlyMap<string, InboxDefinition>,
  changes: readonly Change[],
): ReadonlyMap<string, InboxDefinition> {
  if (changes.length === 0) return inboxes;
  const next = new Map(inboxes);
  for (const change of changes) change(next);
  return new Map([...next].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function inboxDirectory({ port, table, ttlDays, clock }: DirectoryOptions): InboxDirectory {
  let inboxes: ReadonlyMap<string, InboxDefinition> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<ReadonlyMap<string, InboxDefinition>> | undefined;
  const entered = new Map<string, number>();
  const entering = new Map<string, Promise<void>>();
  const isFresh = () => inboxes !== undefined && clock.monotonic() - readAt < freshMs;
  /** Changes by this server since the reading in flight began, which may have missed them. */
  let meanwhile: Change[] = [];
  const readAll = async (): Promise<ReadonlyMap<string, InboxDefinition>> => {
    const begun = clock.monotonic();
    meanwhile = [];
    inboxes = changed(await readInboxes({ port, table, clock }), meanwhile);
    readAt = begun;
    return inboxes;
  };
  /** Shows a change by this server at once. */
  const change = (made: Change) => {
    if (reading !== undefined) meanwhile.push(made);
    inboxes = changed(inboxes ?? new Map(), [made]);
  };
  const enterNow = async (name: string, now: number) => {
    const expires = Math.floor(now / 1000) + (ttlDays + 2) * 86_400;
    const isEntered = await enterInbox({ port, table }, name, expires);
    if (entered.size > 10_000) entered.clear();
    entered.set(name, now);
    if (isEntered) change((known) => known.set(name, known.get(name) ?? { name, rules: [] }));
  };
  return {
    get known() {
      return isFresh() ? inboxes : undefined;
    },
    get last() {
      return inboxes ?? new Map();
    },
    async read(call) {
      if (isFresh() && inboxes !== undefined) return inboxes;
      // Shared by all callers: one that aborts ends only its own wait.
      reading ??= readAll().finally(() => {
        reading = undefined;
      });
      return waitWithin({ clock, ...call }, reading);
    },
    async save(definition, call) {
      const Item = { ...keyOf(definition.name), ...writeDefinition(definition) };
      await port.putItem({ TableName: table, Item }, call);
      change((known) => known.set(definition.name, definition));
    },
    async remove(name, call) {
      await port.deleteItem({ TableName: table, Key: keyOf(name) }, call);
      entered.delete(name);
      change((known) => known.delete(name));
    },
    async enter(name) {
      const now = clock.now();
      if (now - (entered.get(name) ?? 0) < dayMs && inboxes?.has(name) === true) return;
      // Concurrent messages enter it once.
      const running = entering.get(name) ?? enterNow(name, now).finally(() => entering.delete(name));
      entering.set(name, running);
      await running;
    },
  };
}

async function readInboxes({
  port,
  table,
  clock,
}: Pick<DirectoryOptions, "port" | "table" | "clock">): Promise<ReadonlyMap<string, InboxDefinition>> {
  const found = new Map<string, InboxDefinition>();
  const query = {
    TableName: table,
    KeyConditionExpression: "pk = :inboxes",
    ExpressionAttributeValues: { ":inboxes": { S: "inboxes" } },
    ConsistentRead: true,
  };
  const now = Math.floor(clock.now() / 1000);
  for await (const item of queryItems(port, query, { clock })) {
    if (Number(item["expires"]?.N ?? Number.POSITIVE_INFINITY) <= now) continue;
    const definition = readDefinition(item);
    found.set(definition.name, definition);
  }
  return found;
}

/** Returns false if the inbox is defined: it then stays until it is deleted. */
async function enterInbox(
  { port, table }: Pick<DirectoryOptions, "port" | "table">,
  name: string,
  expires: number,
): Promise<boolean> {
  const input = {
    TableName: table,
    Key: keyOf(name),
    UpdateExpression: "SET expires = :expires",
    ConditionExpression: "attribute_not_exists(settings)",
    ExpressionAttributeValues: { ":expires": { N: String(expires) } },
  };
  try {
    await port.updateItem(input, { idempotent: true });
    return true;
  } catch (error) {
    if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
    return false;
  }
}
