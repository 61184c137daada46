import { createHash } from "node:crypto";
import { queryItems } from "@tablekeep/client";
import type { Clock, DynamoPort, Item, Key, Logger } from "@tablekeep/core";
import type { MessageProperties, MqttMessage } from "../protocol/mqtt-message.ts";
import type { LastWill } from "./connect-request.ts";
import { sessionKey } from "./mqtt-session.ts";
import type { OutboxStore, QueuedMessage } from "./outbox.ts";
import type { SessionRecord, SessionStore, StoredSession, WillRecord } from "./session-store.ts";
import { WriteBehind } from "./write-behind.ts";

/** Where sessions are stored. */
export interface TableSessionStoreOptions {
  readonly port: DynamoPort;
  /** A table with the keys `PK` and `SK` and the expiry attribute `ExpiresAt`. */
  readonly table: string;
  /** The name of the broker: brokers with different names share a table. */
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Messages that are never removed expire after this many seconds. */
const messageSeconds = 30 * 24 * 3600;

/** Digits of the sort key of a message, so that messages are read in their order. */
const orderDigits = 16;

type SessionName = Pick<SessionRecord, "clientId" | "userName">;

/**
 * Stores sessions, retained messages and last wills as items of a table: one item for each of them, and for each message of a session. Other
 * programs that use the table skip these items, whose partition keys begin with `MQ#`.
 */
export function tableSessionStore(options: TableSessionStoreOptions): SessionStore {
  const { port, table, name, clock, logger } = options;
  const writer = new WriteBehind({ port, table, clock, logger });
  // A connecting client waits until its session is stored, but must not wait for the messages of all other clients.
  const messageWriter = new WriteBehind({ port, table, clock, logger });
  const sessions = `MQ#${name}#sessions`;
  const retained = `MQ#${name}#retained`;
  const wills = `MQ#${name}#wills`;
  const partitionOf = (session: SessionName & Pick<SessionRecord, "id">) =>
    [`MQ#${name}#messages`, digestOf(session), ...(session.id === undefined ? [] : [session.id])].join("#");
  const itemsOf = (partition: string) =>
    queryItems(
      port,
      {
        TableName: table,
        KeyConditionExpression: "PK = :partition",
        ExpressionAttributeValues: { ":partition": { S: partition } },
        ConsistentRead: true,
      },
      { clock },
    );
  const readSession = async (record: SessionRecord): Promise<StoredSession> => {
    const messages: QueuedMessage[] = [];
    for await (const item of itemsOf(partitionOf(record))) messages.push(queuedOf(item));
    return { ...record, messages };
  };
  return {
    async load() {
      const found: StoredSession[] = [];
      for await (const { Session } of itemsOf(sessions)) {
        const record = JSON.parse(Session?.S ?? "") as SessionRecord;
        found.push(await readSession(record));
      }
      const messages: MqttMessage[] = [];
      for await (const item of itemsOf(retained)) messages.push({ ...messageOfItem(item), retain: true });
      const left: WillRecord[] = [];
      for await (const item of itemsOf(wills)) left.push(willOfItem(item));
      return { sessions: found, retained: messages, wills: left };
    },
    saveSession(record) {
      const { endedAt, expirySeconds } = record;
      const ends = endedAt === undefined ? undefined : endedAt + expirySeconds * 1000;
      const item = { ...keyOf(sessions, digestOf(record)), Session: { S: JSON.stringify(record) } };
      return writer.put({ ...item, ...(ends !== undefined && { ExpiresAt: seconds(ends) }) });
    },
    removeSession: (session) => void writer.remove(keyOf(sessions, digestOf(session))),
    outboxOf: (session) => outboxStore(partitionOf(session), messageWriter, clock),
    async saveRetained(message) {
      const key = keyOf(retained, message.topic);
      if (message.payload.length === 0) {
        await writer.remove(key);
        return;
      }
      const { expiresAt } = message;
      const item = { ...key, ...itemOf(message) };
      await writer.put(expiresAt === undefined ? item : { ...item, ExpiresAt: seconds(expiresAt) });
    },
    saveWill: (will) => writer.put({ ...keyOf(wills, digestOf(will)), ...itemOfWill(will) }),
    removeWill: (client) => void writer.remove(keyOf(wills, digestOf(client))),
    async flush() {
      await Promise.all([writer.flush(), messageWriter.flush()]);
    },
  };
}

function outboxStore(partition: string, writer: WriteBehind, clock: Clock): OutboxStore {
  const keyOfMessage = ({ order }: QueuedMessage) =>
    keyOf(partition, String(order).padStart(orderDigits, "0"));
  const makeItem = (queued: QueuedMessage): Item => {
    const { message, messageId, retain, sharedAs } = queued;
    const longest = clock.now() + messageSeconds * 1000;
    const until = Math.min(message.expiresAt ?? longest, longest);
    const id = { MessageId: { N: String(messageId) }, Retain: { BOOL: retain } };
    return {
      ...keyOfMessage(queued),
      ...id,
      ...(sharedAs !== undefined && { SharedAs: { S: sharedAs } }),
      ...itemOf(message),
      ExpiresAt: seconds(until),
    };
  };
  return {
    save: (queued, { isSent }) =>
      isSent ? writer.putLater(keyOfMessage(queued), () => makeItem(queued)) : writer.put(makeItem(queued)),
    remove: (queued) => void writer.remove(keyOfMessage(queued), { isNew: true }),
  };
}

function seconds(milliseconds: number): { readonly N: string } {
  return { N: String(Math.ceil(milliseconds / 1000)) };
}

/** Client ids and user names may be longer than a key. */
function digestOf(session: SessionName): string {
  return createHash("sha256").update(sessionKey(session)).digest("base64url");
}

function keyOf(partition: string, sort: string): Key {
  return { PK: { S: partition }, SK: { S: sort } };
}

function itemOf({ topic, payload, qos, properties = {}, expiresAt, retainedAt }: MqttMessage): Item {
  const { correlationData, ...texts } = properties;
  return {
    Topic: { S: topic },
    Payload: { B: typeof payload === "string" ? Buffer.from(payload) : payload },
    Qos: { N: String(qos) },
    ...(Object.keys(texts).length > 0 && { Properties: { S: JSON.stringify(texts) } }),
    ...(correlationData !== undefined && { CorrelationData: { B: correlationData } }),
    ...(expiresAt !== undefined && { Until: { N: String(expiresAt) } }),
    ...(retainedAt !== undefined && { RetainedAt: { N: String(retainedAt) } }),
  };
}

function messageOfItem(item: Item): MqttMessage {
  const { Topic, Payload, Qos, Properties, CorrelationData, Until, RetainedAt } = item;
  const texts = Properties?.S === undefined ? {} : (JSON.parse(Properties.S) as MessageProperties);
  const data = CorrelationData?.B === undefined ? {} : { correlationData: Buffer.from(CorrelationData.B) };
  return {
    topic: Topic?.S ?? "",
    payload: Buffer.from(Payload?.B ?? []),
    qos: Qos?.N === "0" ? 0 : 1,
    properties: { ...texts, ...data },
    ...(Until?.N !== undefined && { expiresAt: Number(Until.N) }),
    ...(RetainedAt?.N !== undefined && { retainedAt: Number(RetainedAt.N) }),
  };
}

function itemOfWill({ will, ...client }: WillRecord): Item {
  const { message, ...terms } = will;
  const details = { ...client, ...terms, retain: message.retain === true };
  return { ...itemOf(message), Will: { S: JSON.stringify(details) } };
}

function willOfItem(item: Item): WillRecord {
  type Details = Omit<WillRecord, "will"> & Omit<LastWill, "message"> & { readonly retain: boolean };
  const { retain, delaySeconds, expirySeconds, ...client } = JSON.parse(item["Will"]?.S ?? "") as Details;
  const message = { ...messageOfItem(item), retain };
  return {
    ...client,
    will: { message, delaySeconds, ...(expirySeconds !== undefined && { expirySeconds }) },
  };
}

function queuedOf(item: Item): QueuedMessage {
  return {
    messageId: Number(item["MessageId"]?.N),
    order: Number(item["SK"]?.S),
    message: messageOfItem(item),
    retain: item["Retain"]?.BOOL === true,
    isRepeated: false,
    ...(item["SharedAs"]?.S !== undefined && { sharedAs: item["SharedAs"].S }),
  };
}
