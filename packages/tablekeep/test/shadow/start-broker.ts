import { silentLogger, systemClock } from "@tablekeep/core";
import { connect, connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { onTestFinished } from "vitest";
import { type MqttBrokerOptions, mqttBroker } from "../../src/server/mqtt/mqtt-broker.ts";
import { mqttListener } from "../../src/server/mqtt/mqtt-listener.ts";
import { reason } from "../../src/server/mqtt/protocol/reason-codes.ts";
import type { TopicAccess } from "../../src/server/mqtt/sessions/mqtt-session.ts";

const access: TopicAccess = {
  mayPublish: (topic) => topic !== "secret",
  maySubscribe: (filter) => filter !== "secret",
  mayReceive: (topic) => topic !== "hidden",
};

/** A broker on a free port that echoes requests on `$echo`, until the test is over. */
export async function startBroker(options: Partial<MqttBrokerOptions> = {}) {
  const broker = await mqttBroker({
    service: {
      ruleOf: (topic) =>
        topic === "$echo"
          ? {
              kind: "request",
              perform: async (payload) => [{ topic: "$echo/answer", payload: String(payload) }],
            }
          : { kind: topic.startsWith("$") ? "reject" : "pass" },
    },
    guard: {
      signIn: async ({ userName }) =>
        userName === "unknown" ? { rejectedWith: reason.badUserNameOrPassword } : { userName },
      accessOf: ({ clientId }) => (clientId === "forbidden" ? undefined : access),
    },
    clock: systemClock,
    logger: silentLogger,
    ...options,
  });
  const target = { listener: "mqtt", host: "127.0.0.1", port: 0, portFlag: "" };
  const listener = mqttListener({ target, broker, clock: systemClock });
  const url = await listener.start();
  onTestFinished(() => listener.stop(0));
  const client = async (clientOptions: IClientOptions = {}) => {
    const base = { protocolVersion: 5, reconnectPeriod: 0 } as const;
    const connected = await connectAsync(url, { ...base, ...clientOptions }, false);
    onTestFinished(async () => void (await connected.endAsync(true)));
    connected.on("error", () => {});
    return connected;
  };
  /** A client that connects on request, so that it misses no message. */
  const waiting = (clientOptions: IClientOptions = {}) => {
    const base = { protocolVersion: 5, reconnectPeriod: 0, manualConnect: true } as const;
    const prepared = connect(url, { ...base, ...clientOptions });
    onTestFinished(async () => void (await prepared.endAsync(true)));
    return prepared.on("error", () => {});
  };
  return { broker, waiting, port: Number(new URL(url).port), client };
}

export type Received = { topic: string; payload: string; retain: boolean; dup: boolean; properties: unknown };

export function receivedBy(client: MqttClient): Received[] {
  const received: Received[] = [];
  client.on("message", (topic, payload, { retain, dup, properties }) =>
    received.push({ topic, payload: payload.toString(), retain, dup, properties }),
  );
  return received;
}

/** Resolves with the reason code of the server's DISCONNECT. */
export function disconnectOf(client: MqttClient): Promise<number | undefined> {
  return new Promise((resolve) => client.once("disconnect", ({ reasonCode }) => resolve(reasonCode)));
}
