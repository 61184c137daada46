/** Limits of MQTT clients. */
export interface MqttLimits {
  /** AWS: a message is 128 KB at most. Topic and header have 1 KB in addition. */
  readonly packetBytes: number;
  /** Concurrent connections on the port. */
  readonly connections: number;
  /** Milliseconds from the connection to a whole CONNECT; a client that is slower is disconnected. */
  readonly connectMs: number;
  /** AWS: the longest keep-alive in seconds; used for a client that requests more, or none. */
  readonly keepAliveSeconds: number;
  /** Levels of a topic or a filter, those between slashes. */
  readonly topicLevels: number;
  /** Bytes of a topic or a filter. */
  readonly topicBytes: number;
  /** AWS: bytes of a client id. */
  readonly clientIdBytes: number;
  /** Subscriptions of one client. */
  readonly subscriptions: number;
  /** Concurrent requests of one client. The server stops reading from it until one is answered. */
  readonly requestsInFlight: number;
  /** Concurrent requests of all clients. The server stops reading from a client whose request has to wait. */
  readonly allRequestsInFlight: number;
  /** PUBLISH packets of one client per second; 0 is unlimited. A client that sends more loses the rest of that second. */
  readonly publishesPerSecond: number;
  /** AWS: topic aliases per connection, in each direction. */
  readonly topicAliases: number;
  /** QoS 1 messages that are unacknowledged or queued for one client; a connected client with more is disconnected. */
  readonly unacknowledged: number;
  /** Bytes of the messages that are queued for one session; beyond it, the oldest are dropped. */
  readonly queuedBytes: number;
  /** Bytes of the messages that are queued for all sessions; beyond it, the session with the most loses its oldest. */
  readonly allQueuedBytes: number;
  /** Sessions of clients that are not connected; beyond it, the one that ended first is discarded. */
  readonly sessions: number;
  /** AWS: seconds that the session of an MQTT 3.1.1 client is kept after it disconnects. */
  readonly sessionSeconds: number;
  /** AWS: the longest session expiry interval that a client of MQTT 5 may have, in seconds. */
  readonly maxSessionSeconds: number;
  /** Seconds that clients have to come back after the server starts, before their stored last wills are published. */
  readonly willGraceSeconds: number;
  /** Retained messages; further topics are not retained. */
  readonly retainedMessages: number;
  /** Bytes of all retained messages together. */
  readonly retainedBytes: number;
  /** Bytes that may wait for one client to read them; a client with more is disconnected. */
  readonly unsentBytes: number;
  /** Bytes that may wait for all clients together; beyond it, the client with the most is disconnected. */
  readonly allUnsentBytes: number;
  /** Milliseconds after which a client that reads nothing is disconnected, if bytes wait for it. */
  readonly drainMs: number;
  /** Responses that are remembered for redelivered messages. */
  readonly rememberedAnswers: number;
  /** Bytes of all remembered responses. */
  readonly rememberedBytes: number;
  /** How long responses are remembered, in milliseconds. */
  readonly rememberedMs: number;
}

export const mqttLimits: MqttLimits = {
  packetBytes: 132_096,
  connections: 10_000,
  connectMs: 10_000,
  keepAliveSeconds: 1_200,
  topicLevels: 16,
  topicBytes: 512,
  clientIdBytes: 128,
  subscriptions: 100,
  requestsInFlight: 100,
  allRequestsInFlight: 256,
  publishesPerSecond: 0,
  topicAliases: 8,
  unacknowledged: 10_000,
  queuedBytes: 8_388_608,
  allQueuedBytes: 268_435_456,
  sessions: 10_000,
  sessionSeconds: 3_600,
  maxSessionSeconds: 604_800,
  willGraceSeconds: 30,
  retainedMessages: 10_000,
  retainedBytes: 67_108_864,
  unsentBytes: 8_388_608,
  allUnsentBytes: 268_435_456,
  drainMs: 10_000,
  rememberedAnswers: 10_000,
  rememberedBytes: 67_108_864,
  rememberedMs: 600_000,
};
