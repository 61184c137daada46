import type { IPublishPacket } from "mqtt-packet";
import type { UserProperties } from "./strict-parser.ts";

/** The qualities of service that the broker offers. */
export type Qos = 0 | 1;

/** The properties of MQTT 5 that are forwarded from the publisher to subscribers unchanged. */
export interface MessageProperties
  extends Pick<
    NonNullable<IPublishPacket["properties"]>,
    "payloadFormatIndicator" | "contentType" | "responseTopic" | "correlationData"
  > {
  readonly userProperties?: UserProperties;
}

/** A message to be sent to subscribers. */
export interface MqttMessage {
  readonly topic: string;
  readonly payload: Buffer | string;
  readonly qos: Qos;
  /** Whether it was published to be retained. @default false */
  readonly retain?: boolean;
  readonly properties?: MessageProperties;
  /** When it became the retained message of its topic, in milliseconds since 1970. @default unknown */
  readonly retainedAt?: number;
  /** When it expires, in milliseconds since 1970. @default never */
  readonly expiresAt?: number;
}

/** The message of a PUBLISH, or of a last will, that arrives now. */
export function messageOf(
  { topic, payload, qos, retain, properties = {} }: Omit<IPublishPacket, "cmd" | "dup">,
  now: number,
): MqttMessage {
  const { messageExpiryInterval } = properties;
  const passedOn = passedOnOf(properties);
  return {
    topic,
    // A copy: the packet may be a part of a much larger buffer.
    payload: Buffer.from(payload),
    qos: qos === 0 ? 0 : 1,
    retain,
    ...(Object.keys(passedOn).length > 0 && { properties: passedOn }),
    ...(messageExpiryInterval !== undefined && { expiresAt: now + messageExpiryInterval * 1000 }),
  };
}

function passedOnOf(properties: NonNullable<IPublishPacket["properties"]>): MessageProperties {
  const { payloadFormatIndicator, contentType, responseTopic, correlationData } = properties;
  const userProperties = properties.userProperties as UserProperties | undefined;
  return {
    ...(payloadFormatIndicator !== undefined && { payloadFormatIndicator }),
    ...(contentType !== undefined && { contentType }),
    ...(responseTopic !== undefined && { responseTopic }),
    ...(correlationData !== undefined && { correlationData: Buffer.from(correlationData) }),
    ...(userProperties !== undefined && { userProperties }),
  };
}

/** The properties of a message in a PUBLISH of MQTT 5 that is sent now. */
export function wireProperties(
  { properties, expiresAt }: MqttMessage,
  now: number,
): NonNullable<IPublishPacket["properties"]> {
  // mqtt-packet also writes a list of pairs, in its order.
  const wire = { ...properties } as NonNullable<IPublishPacket["properties"]>;
  if (expiresAt === undefined) return wire;
  return { ...wire, messageExpiryInterval: Math.max(0, Math.ceil((expiresAt - now) / 1000)) };
}

export function isExpired({ expiresAt }: MqttMessage, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** The approximate number of bytes that a message occupies. */
export function bytesOf({ topic, payload, properties }: MqttMessage): number {
  const { correlationData, ...texts } = properties ?? {};
  const extra = properties === undefined ? 0 : JSON.stringify(texts).length + (correlationData?.length ?? 0);
  return topic.length + Buffer.byteLength(payload) + extra + 64;
}
