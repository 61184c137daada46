/** What MQTT clients may use of the server. */
export const mqttLimits = {
  /** AWS: a message is 128 KB at most. Topic and header come on top, with 1 KB. */
  packetBytes: 132_096,
  /** Connections at once on the port. */
  connections: 10_000,
  /** Milliseconds from the connection to a whole CONNECT; a client that is slower is cut off. */
  connectMs: 10_000,
  /** AWS: seconds a client may ask to be silent for; one that asks for more, or for ever, gets these. */
  keepAliveSeconds: 1_200,
  /** Levels of a topic or a filter, those between slashes. */
  topicLevels: 16,
  /** AWS: bytes of a client id. */
  clientIdBytes: 128,
  /** Answers that are remembered for messages that come again: a client repeats a message when it comes back. */
  rememberedAnswers: 10_000,
  /** Bytes of all remembered answers together. */
  rememberedBytes: 67_108_864,
  /** How long they are remembered, in milliseconds. */
  rememberedMs: 600_000,
} as const;
