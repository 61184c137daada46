import type { DocumentObject } from "@tablekeep/shadow";
import { HttpError, type HttpExchange } from "../http/http-route.ts";
import type { MqttBroker } from "../mqtt/mqtt-broker.ts";
import { mqttLimits } from "../mqtt/protocol/mqtt-limits.ts";
import type { MessageProperties, MqttMessage, Qos } from "../mqtt/protocol/mqtt-message.ts";
import { isTopicName } from "../mqtt/protocol/topic-names.ts";
import type { TopicService } from "../mqtt/requests/topic-service.ts";

/** Dependencies of the data plane's operations on messages and connections. */
export interface BrokerPlane {
  /** The broker; undefined without MQTT. */
  readonly broker?: MqttBroker;
  /** Sends a message to its subscribers. Resolves once it is stored for persistent sessions. */
  readonly publish: (message: MqttMessage) => Promise<unknown>;
  /** Decides how messages are handled, by topic. */
  readonly topics: TopicService;
  readonly now: () => number;
}

/** AWS: the largest page of retained messages, and of subscriptions. */
const maxResults = 200;
const defaultResults = 100;

/** Publish: sends a message. A message on a request topic of a shadow performs the request. */
export async function publishMessage(
  exchange: HttpExchange,
  payload: Buffer,
  { topics, publish, now }: BrokerPlane,
): Promise<DocumentObject> {
  const topic = exchange.params["topic"] ?? "";
  if (topic === "") throw new HttpError(405, "expected a topic in the path");
  if (!isTopicName(topic, mqttLimits)) throw new HttpError(400, "Invalid topic");
  const rule = topics.ruleOf(topic);
  if (rule.kind !== "request" && rule.kind !== "pass")
    throw new HttpError(403, "only the service publishes to this topic");
  const expirySeconds = expiryOf(exchange);
  await publish({
    topic,
    payload,
    qos: qosOf(exchange),
    retain: isRetained(exchange),
    properties: propertiesOf(exchange),
    ...(expirySeconds !== undefined && { expiresAt: now() + expirySeconds * 1000 }),
  });
  // The response to a message is sent as messages, even if it is rejected.
  if (rule.kind === "request")
    for (const answer of await rule.perform(payload)) await publish({ ...answer, qos: 1 });
  return {};
}

/** Whether a Publish request is for a retained message. */
export function isRetained({ query }: HttpExchange): boolean {
  return query.get("retain") === "true";
}

function qosOf({ query }: HttpExchange): Qos {
  const qos = query.get("qos") ?? "0";
  if (qos !== "0" && qos !== "1") throw new HttpError(400, "Invalid qos");
  return qos === "1" ? 1 : 0;
}

/** Seconds until the message expires; MQTT has four bytes for them. */
function expiryOf({ query }: HttpExchange): number | undefined {
  const text = query.get("messageExpiry");
  if (text === null) return undefined;
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > 0xffffffff) throw new HttpError(400, "Invalid messageExpiry");
  return seconds;
}

/** The properties of MQTT 5 that a Publish request has in its query and its headers. */
function propertiesOf({ query, request }: HttpExchange): MessageProperties {
  const [contentType, responseTopic] = [query.get("contentType"), query.get("responseTopic")];
  if (responseTopic !== null && !isTopicName(responseTopic, mqttLimits))
    throw new HttpError(400, "Invalid responseTopic");
  const header = (name: string) => {
    const value = request.headers[`x-amz-mqtt5-${name}`];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const correlation = header("correlation-data");
  const user = header("user-properties");
  const format = header("payload-format-indicator");
  return {
    ...(contentType !== null && { contentType }),
    ...(responseTopic !== null && { responseTopic }),
    ...(correlation !== undefined && { correlationData: Buffer.from(correlation, "base64") }),
    ...(format === "UTF8_DATA" && { payloadFormatIndicator: true }),
    ...(user !== undefined && { userProperties: userProperties(user) }),
  };
}

/** AWS: a JSON array in base64, of objects with one member each, because names may repeat. */
function userProperties(text: string): NonNullable<MessageProperties["userProperties"]> {
  try {
    const pairs = JSON.parse(Buffer.from(text, "base64").toString()) as Record<string, unknown>[];
    return pairs.flatMap((pair) => Object.entries(pair).map(([name, value]) => ({ [name]: String(value) })));
  } catch {
    throw new HttpError(400, "Invalid user properties");
  }
}

/** GetRetainedMessage. */
export function getRetained({ params }: HttpExchange, { broker, now }: BrokerPlane): DocumentObject {
  const topic = params["topic"] ?? "";
  const message = broker?.retained.get(topic, now());
  if (message === undefined) throw new HttpError(404, `No retained message exists for topic: '${topic}'`);
  const { payload, qos, retainedAt = 0, properties } = message;
  const user = properties?.userProperties ?? [];
  return {
    topic,
    payload: base64(payload),
    qos,
    lastModifiedTime: retainedAt,
    ...(user.length > 0 && { userProperties: base64(JSON.stringify(user)) }),
  };
}

function base64(data: Buffer | string): string {
  return Buffer.from(data).toString("base64");
}

/** ListRetainedMessages. */
export function listRetained({ query }: HttpExchange, { broker, now }: BrokerPlane): DocumentObject {
  const { page, next } = pageOf(broker?.retained.all(now()) ?? [], ({ topic }) => topic, query);
  const retainedTopics = page.map(({ topic, payload, qos, retainedAt = 0 }) => ({
    topic,
    payloadSize: payload.length,
    qos,
    lastModifiedTime: retainedAt,
  }));
  return { retainedTopics, ...next };
}

/** One page of a list, by name. Its token is the last name, so that no entry is left out when others are removed between two pages. */
function pageOf<Entry>(
  all: readonly Entry[],
  nameOf: (entry: Entry) => string,
  query: URLSearchParams,
): { readonly page: readonly Entry[]; readonly next: DocumentObject } {
  const size = Number(query.get("maxResults") ?? defaultResults);
  if (!Number.isInteger(size) || size < 1 || size > maxResults)
    throw new HttpError(400, "Invalid maxResults");
  const token = query.get("nextToken");
  const after = token === null ? undefined : Buffer.from(token, "base64url").toString();
  if (after !== undefined && tokenOf(after) !== token) throw new HttpError(400, "Invalid nextToken");
  const rest = all
    .filter((entry) => after === undefined || nameOf(entry) > after)
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const page = rest.slice(0, size);
  const last = page.at(-1);
  const isMore = rest.length > size && last !== undefined;
  return { page, next: isMore ? { nextToken: tokenOf(nameOf(last)) } : {} };
}

function tokenOf(name: string): string {
  return Buffer.from(name).toString("base64url");
}

/** DeleteConnection. */
export function deleteConnection({ params, query }: HttpExchange, { broker }: BrokerPlane): DocumentObject {
  const clientId = clientIdOf(params);
  const options = {
    cleanSession: query.get("cleanSession") === "true",
    withoutWill: query.get("preventWillMessage") === "true",
  };
  if (broker?.disconnect(clientId, options) !== true) throw noConnection(clientId);
  return {};
}

/** GetConnection. */
export function getConnection({ params }: HttpExchange, { broker }: BrokerPlane): DocumentObject {
  const clientId = clientIdOf(params);
  const session = broker?.sessionOf(clientId);
  if (session === undefined) throw noConnection(clientId);
  const { connected, userName, expirySeconds } = session;
  return {
    clientId,
    connected: connected !== undefined,
    ...(userName !== undefined && { thingName: userName }),
    ...(connected && { cleanSession: connected.isClean, keepAliveDuration: connected.keepAliveSeconds }),
    sessionExpiry: expirySeconds,
  };
}

/** ListSubscriptions. */
export function listSubscriptions({ params, query }: HttpExchange, { broker }: BrokerPlane): DocumentObject {
  const clientId = clientIdOf(params);
  const session = broker?.sessionOf(clientId);
  if (session === undefined) throw noConnection(clientId);
  const { page, next } = pageOf(session.subscriptions, ({ filter }) => filter, query);
  return { subscriptions: page.map(({ filter, qos }) => ({ topicFilter: filter, qos })), ...next };
}

/** SendDirectMessage is not supported: it would deliver a message past the subscriptions of its receiver. */
export function sendDirectMessage(): never {
  throw new HttpError(405, "SendDirectMessage is not supported");
}

function clientIdOf(params: HttpExchange["params"]): string {
  const clientId = params["client"] ?? "";
  if (clientId === "" || clientId.startsWith("$")) throw new HttpError(400, "Invalid client id");
  return clientId;
}

function noConnection(clientId: string): HttpError {
  return new HttpError(404, `No connection exists with client id: '${clientId}'`);
}
