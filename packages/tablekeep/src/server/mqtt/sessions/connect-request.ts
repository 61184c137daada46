import { randomUUID } from "node:crypto";
import type { IConnackPacket, IConnectPacket, Packet } from "mqtt-packet";
import type { MqttConnection } from "../protocol/mqtt-connection.ts";
import type { MqttLimits } from "../protocol/mqtt-limits.ts";
import { type MqttMessage, messageOf } from "../protocol/mqtt-message.ts";
import { connectProblem } from "../protocol/packet-rules.ts";
import { type Reason, type Rejection, reason, returnCodeOf, Violation } from "../protocol/reason-codes.ts";
import { isTopicName } from "../protocol/topic-names.ts";
import type { MqttGuard, MqttPeer } from "./guard.ts";
import type { MqttSession } from "./mqtt-session.ts";

/** The last will of a client: published if its connection ends without DISCONNECT. */
export interface LastWill {
  /** The message, whose expiry begins when it is published. */
  readonly message: MqttMessage;
  /** Seconds until the message expires. @default never */
  readonly expirySeconds?: number;
  /** Seconds to wait for the client to reconnect. */
  readonly delaySeconds: number;
}

/** The contents of a CONNECT, within the limits. */
export interface ConnectRequest {
  readonly version: number;
  readonly clientId: string;
  /** Whether the server chose the client id. */
  readonly isAssigned: boolean;
  /** Whether an earlier session is discarded. */
  readonly isClean: boolean;
  readonly expirySeconds: number;
  /** The keep-alive in seconds. The client is disconnected after 1.5 times as long without a packet. */
  readonly keepAliveSeconds: number;
  readonly receiveMaximum: number;
  readonly maxPacketBytes: number;
  /** Topic aliases that the client accepts. */
  readonly topicAliases: number;
  readonly will?: LastWill;
}

/** A client that may connect. */
export interface AcceptedClient {
  readonly request: ConnectRequest;
  readonly identity: MqttSession["identity"];
  readonly address: string;
}

/** Checks a CONNECT, authenticates its sender, and looks up its permissions. */
export async function acceptClient(
  packet: IConnectPacket,
  peer: MqttPeer,
  guard: MqttGuard,
  limits: MqttLimits,
): Promise<AcceptedClient | Rejection> {
  const request = readConnect(packet, limits);
  if ("rejectedWith" in request) return request;
  const { clientId } = request;
  const credentials = { userName: packet.username ?? "", password: String(packet.password ?? "") };
  const user = await guard.signIn({ ...peer, ...credentials, clientId });
  if ("rejectedWith" in user) return user;
  const access = guard.accessOf({ ...user, clientId });
  return access === undefined
    ? { rejectedWith: reason.notAuthorized }
    : { request, identity: { clientId, userName: user.userName, access }, address: peer.address };
}

/** Reads a CONNECT. */
function readConnect(packet: IConnectPacket, limits: MqttLimits): ConnectRequest | Rejection {
  const { clientId, clean = true, keepalive = 0, protocolVersion: version = 4, properties = {} } = packet;
  const isFive = version === 5;
  const problem = connectProblem(packet) ?? willProblem(packet, limits);
  if (problem !== undefined) {
    // MQTT 3.1.1 has no code for it.
    if (!isFive) throw new Violation(problem, "CONNECT violates the protocol");
    return { rejectedWith: problem };
  }
  if (Buffer.byteLength(clientId) > limits.clientIdBytes) return { rejectedWith: reason.clientIdInvalid };
  if (clientId === "" && !clean && !isFive) return { rejectedWith: reason.clientIdInvalid };
  if (properties.authenticationMethod !== undefined) return { rejectedWith: reason.badAuthenticationMethod };
  if (isFive && packet.will?.qos === 2) return { rejectedWith: reason.qosNotSupported };
  const { sessionExpiryInterval = 0, receiveMaximum, maximumPacketSize, topicAliasMaximum = 0 } = properties;
  if (receiveMaximum === 0 || maximumPacketSize === 0) return { rejectedWith: reason.protocolError };
  const requested = isFive ? sessionExpiryInterval : clean ? 0 : limits.sessionSeconds;
  return {
    version,
    clientId: clientId === "" ? randomUUID() : clientId,
    isAssigned: clientId === "",
    isClean: clean,
    expirySeconds: Math.min(requested, limits.maxSessionSeconds),
    keepAliveSeconds: Math.min(keepalive || limits.keepAliveSeconds, limits.keepAliveSeconds),
    receiveMaximum: Math.min(receiveMaximum ?? limits.unacknowledged, limits.unacknowledged),
    maxPacketBytes: maximumPacketSize ?? Number.POSITIVE_INFINITY,
    topicAliases: Math.min(topicAliasMaximum, limits.topicAliases),
    will: willOf(packet),
  };
}

function willProblem({ will }: IConnectPacket, limits: MqttLimits): Reason | undefined {
  return will === undefined || isTopicName(will.topic, limits) ? undefined : reason.topicNameInvalid;
}

function willOf({ will }: IConnectPacket): LastWill | undefined {
  if (will === undefined) return undefined;
  const { topic, payload, qos = 0, retain = false, properties = {} } = will;
  const {
    willDelayInterval: delaySeconds = 0,
    messageExpiryInterval: expirySeconds,
    ...passedOn
  } = properties;
  const message = messageOf({ topic, payload, qos, retain, properties: passedOn }, 0);
  return { message, delaySeconds, ...(expirySeconds !== undefined && { expirySeconds }) };
}

/** The CONNACK that accepts a client. In MQTT 5 it contains the values that differ from the request, and the unsupported features. */
export function acceptance(
  { clientId, isAssigned, expirySeconds, version, keepAliveSeconds }: ConnectRequest,
  { keepalive = 0, properties = {} }: IConnectPacket,
  sessionPresent: boolean,
  limits: MqttLimits,
): IConnackPacket {
  if (version !== 5) return { cmd: "connack", sessionPresent, returnCode: 0 };
  const { sessionExpiryInterval = 0 } = properties;
  return {
    cmd: "connack",
    sessionPresent,
    reasonCode: reason.success,
    properties: {
      ...(sessionExpiryInterval !== expirySeconds && { sessionExpiryInterval: expirySeconds }),
      ...(keepalive !== keepAliveSeconds && { serverKeepAlive: Math.ceil(keepAliveSeconds) }),
      ...(isAssigned && { assignedClientIdentifier: clientId }),
      receiveMaximum: limits.requestsInFlight,
      maximumPacketSize: limits.packetBytes,
      topicAliasMaximum: limits.topicAliases,
      maximumQoS: 1,
      retainAvailable: true,
      wildcardSubscriptionAvailable: true,
      sharedSubscriptionAvailable: true,
      subscriptionIdentifiersAvailable: false,
    },
  };
}

/** The response to a CONNECT that is rejected. */
export function rejection({ rejectedWith }: Rejection, version: number): IConnackPacket {
  const code = version === 5 ? { reasonCode: rejectedWith } : { returnCode: returnCodeOf(rejectedWith) };
  return { cmd: "connack", sessionPresent: false, ...code };
}

/** The first packet; undefined if there is none. An unsupported version of MQTT gets a response. */
export async function firstPacket(
  packets: AsyncIterator<Packet, void>,
  connection: Pick<MqttConnection, "send" | "end" | "protocolVersion">,
): Promise<Packet | undefined> {
  try {
    return (await packets.next()).value ?? undefined;
  } catch (error) {
    if (error instanceof Violation && error.code === reason.unsupportedVersion) {
      connection.send(rejection({ rejectedWith: error.code }, connection.protocolVersion));
      connection.end();
      return undefined;
    }
    throw error;
  }
}
