import type { IConnectPacket, IPublishPacket, Packet } from "mqtt-packet";
import { type Reason, reason, Violation } from "./reason-codes.ts";

/** The properties of a message, which are passed on to its subscribers. */
const ofMessage = [
  "payloadFormatIndicator",
  "messageExpiryInterval",
  "contentType",
  "responseTopic",
  "correlationData",
  "userProperties",
] as const;

/** MQTT 5: the properties that packets of a client may have. */
const propertiesOfPackets: Readonly<Partial<Record<Packet["cmd"], readonly string[]>>> = {
  connect: [
    "sessionExpiryInterval",
    "receiveMaximum",
    "maximumPacketSize",
    "topicAliasMaximum",
    "requestResponseInformation",
    "requestProblemInformation",
    "userProperties",
    "authenticationMethod",
    "authenticationData",
  ],
  publish: [...ofMessage, "topicAlias"],
  puback: ["reasonString", "userProperties"],
  subscribe: ["subscriptionIdentifier", "userProperties"],
  unsubscribe: ["userProperties"],
  disconnect: ["sessionExpiryInterval", "reasonString", "userProperties"],
};
/** Packets that always have a packet id. */
const numbered: ReadonlySet<Packet["cmd"]> = new Set(["subscribe", "unsubscribe", "puback"]);
const propertiesOfWill = [...ofMessage, "willDelayInterval"];

/** Rules of MQTT that the parser does not check. Throws a `Violation`. */
export function checkPacket(packet: Packet): void {
  const problem = problemOf(packet);
  if (problem !== undefined) throw new Violation(reason.protocolError, problem);
}

/** The rules for CONNECT, whose violation is answered. */
export function connectProblem({ properties, will }: IConnectPacket): Reason | undefined {
  const problem =
    propertiesProblem("connect", properties, propertiesOfPackets.connect) ??
    propertiesProblem("will", will?.properties, propertiesOfWill) ??
    responseTopicProblem(will?.properties);
  const isIncomplete =
    properties?.authenticationData !== undefined && properties.authenticationMethod === undefined;
  if (problem !== undefined || isIncomplete) return reason.protocolError;
  return Number(will?.qos ?? 0) > 2 ? reason.malformedPacket : undefined;
}

function problemOf(packet: Packet): string | undefined {
  if (packet.cmd === "connect") return undefined;
  const { cmd } = packet;
  const isNumbered = cmd === "publish" ? packet.qos > 0 : numbered.has(cmd);
  if (isNumbered && packet.messageId === 0) return `${cmd} has the packet id 0`;
  if (cmd === "unsubscribe" && packet.unsubscriptions.length === 0) return "unsubscribe has no topic filter";
  const properties = "properties" in packet ? packet.properties : undefined;
  const problem = propertiesProblem(cmd, properties, propertiesOfPackets[cmd]);
  return problem ?? (cmd === "publish" ? responseTopicProblem(packet.properties) : undefined);
}

/** A forbidden property would be passed on to subscribers, and would end their connections. */
function propertiesProblem(
  name: string,
  properties: object | undefined,
  allowed: readonly string[] = [],
): string | undefined {
  for (const [property, value] of Object.entries(properties ?? {})) {
    if (!allowed.includes(property)) return `${name} must not have the property ${property}`;
    if (value === null) return `the property ${property} is incomplete`;
    if (Array.isArray(value) && property !== "userProperties") return `${name} has ${property} twice`;
  }
  return undefined;
}

function responseTopicProblem(properties: IPublishPacket["properties"]): string | undefined {
  const topic = properties?.responseTopic;
  if (topic === undefined) return undefined;
  return topic === "" || /[+#]/.test(topic) ? "the response topic is not a valid topic name" : undefined;
}
