import { Duplex, pipeline } from "node:stream";
import type { Clock, Logger } from "@tablekeep/core";
import { parseShadowTopic } from "@tablekeep/shadow";
import { Aedes, type AedesOptions, type AuthenticateError, type Client } from "aedes";
import type { PasswordCheck } from "../../auth/password-check.ts";
import type { ShadowMessage, ShadowService } from "../shadow-service.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { mqttLimits } from "./mqtt-limits.ts";
import { packetLimit } from "./packet-limit.ts";
import { Redeliveries } from "./redeliveries.ts";
import { mayPublish, maySubscribe, type TopicUser } from "./topic-access.ts";

/** What an MQTT broker is made of. */
export interface MqttBrokerOptions {
  readonly service: ShadowService;
  /** Checks passwords; then every client must sign in. @default none: anybody may connect */
  readonly passwordFits?: PasswordCheck | undefined;
  /** Whether a client reaches only the thing that bears its user's name. */
  readonly ownThingOnly: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Times other than the usual ones. @default none */
  readonly limits?: { readonly connectMs: number; readonly keepAliveSeconds: number };
}

/** An MQTT broker whose shadow topics are served. */
export interface MqttBroker {
  /** Serves a connection, from this address, until it ends. */
  handle(stream: Duplex, from: string): void;
  publish(message: ShadowMessage, qos: 0 | 1): void;
  /** Clients that are connected now. */
  clients(): number;
  /** Resolves once nothing that a client asked for is under way. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** MQTT 3.1.1, connection refused: bad user name or password. */
const badPassword = 4;

export async function mqttBroker(options: MqttBrokerOptions): Promise<MqttBroker> {
  const { service, logger } = options;
  const underWay = new Set<Promise<unknown>>();
  const owed = new Acknowledgements();
  const broker = await Aedes.createBroker({
    concurrency: 1000,
    connectTimeout: (options.limits ?? mqttLimits).connectMs,
    maxTopicLevels: mqttLimits.topicLevels,
    // Of MQTT 3.1, which has a limit of its own; the door knows ours.
    maxClientsIdLength: mqttLimits.clientIdBytes,
    ...doorHooks(options),
    ...shadowHooks(options, underWay, owed),
  });
  // Aedes tells of a message once its sender's acknowledgement is written.
  broker.on("publish", ({ topic }, client) => {
    if (client !== null && parseShadowTopic(topic) !== undefined) owed.given(client);
  });
  broker.on("clientDisconnect", (client) => owed.forget(client));
  broker.on("clientError", (client, error) =>
    logger.debug("an MQTT client is cut off", { client: client.id, error }),
  );
  broker.on("connectionError", (_client, error) => logger.debug("an MQTT connection failed", { error }));
  const publish = (topic: string, payload: Buffer | string, qos: 0 | 1) => {
    broker.publish({ cmd: "publish", topic, payload, qos, dup: false, retain: false }, (error) => {
      if (error) logger.warn("a message was not published", { error });
    });
  };
  service.subscribers = ({ topic, payload }) => publish(topic, payload, 1);
  return {
    handle(stream, from) {
      const limited = packetLimit(mqttLimits.packetBytes);
      // An error ends both, and the client is told by the end of its connection.
      pipeline(stream, limited, () => {});
      const connection = Duplex.from({ readable: limited, writable: stream });
      addresses.set(connection, from);
      broker.handle(connection);
    },
    publish: ({ topic, payload }, qos) => publish(topic, Buffer.from(payload, "latin1"), qos),
    clients: () => broker.connectedClients,
    async idle() {
      await Promise.allSettled(underWay);
      await owed.settled();
    },
    close: () => new Promise((closed) => broker.close(() => closed())),
  };
}

const users = new WeakMap<Client, TopicUser>();
const addresses = new WeakMap<object, string>();

function userOf(client: Client | null): TopicUser {
  return client === null ? {} : (users.get(client) ?? {});
}

/** Who comes in, and what is left of a connection's wishes. */
function doorHooks({
  passwordFits,
  ownThingOnly,
  limits: { keepAliveSeconds } = mqttLimits,
}: MqttBrokerOptions): AedesOptions {
  return {
    preConnect(_client, packet, done) {
      if (Buffer.byteLength(packet.clientId ?? "") > mqttLimits.clientIdBytes)
        return done(new Error("the client id is too long"), false);
      // Sessions and messages for clients that are away would grow without end. What they missed, a get tells.
      packet.clean = true;
      // Only whole packets count as a sign of life: one that comes byte by byte does not keep its connection.
      packet.keepalive = Math.min(packet.keepalive || keepAliveSeconds, keepAliveSeconds);
      // AWS: the shadow service ignores the last will of a client.
      if (packet.will?.topic.startsWith("$")) delete packet.will;
      done(null, true);
    },
    authenticate(client, name = "", password, done) {
      const from = addresses.get(client.conn) ?? "";
      const check = passwordFits?.(name, String(password ?? ""), from) ?? Promise.resolve(true);
      check.then(
        (fits) => {
          if (fits) users.set(client, ownThingOnly ? { thing: name } : {});
          done(fits ? null : refusal(), fits);
        },
        () => done(refusal(), false),
      );
    },
    authorizeSubscribe(client, subscription, done) {
      done(null, maySubscribe(subscription.topic, userOf(client)) ? subscription : null);
    },
  };
}

/** A request is done before its client is told that the message came. */
function shadowHooks(
  { service, clock }: MqttBrokerOptions,
  underWay: Set<Promise<unknown>>,
  owed: Acknowledgements,
): AedesOptions {
  const redeliveries = new Redeliveries<readonly ShadowMessage[]>(clock, bytesOf);
  const answer: ShadowService["answer"] = (request, payload) => {
    const work = service.answer(request, payload);
    underWay.add(work);
    return work.finally(() => underWay.delete(work));
  };
  return {
    authorizePublish(client, packet, done) {
      packet.retain = false;
      const { topic, qos, messageId } = packet;
      if (qos === 2) return done(new Error("QoS 2 is not supported"));
      if (!mayPublish(topic, userOf(client))) return done(new Error("this topic is not the client's"));
      const request = parseShadowTopic(topic);
      if (request === undefined || client === null) return done(null);
      const payload = Buffer.from(packet.payload);
      const work = () => answer(request, payload);
      const isRepeated = packet.dup;
      const answered =
        qos === 1 && messageId !== undefined
          ? redeliveries.once({ clientId: client.id, messageId, topic, payload, isRepeated }, work)
          : work();
      owed.owe(client);
      answered.then(
        (messages) => {
          service.publish(messages);
          done(null);
        },
        (error: unknown) => {
          owed.given(client);
          done(error as Error);
        },
      );
    },
  };
}

function bytesOf(messages: readonly ShadowMessage[]): number {
  return messages.reduce((sum, { topic, payload }) => sum + topic.length + Buffer.byteLength(payload), 0);
}

function refusal(): AuthenticateError {
  return Object.assign(new Error("sign in with a name and password"), { returnCode: badPassword });
}
