import { type Clock, silentLogger, systemClock } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  connectedClient,
  messagesOf,
  packetClient,
  payloadsOf,
  publish,
  until,
} from "../../../test/shadow/packet-client.ts";
import { mqttGuard } from "../shadow/mqtt-guard.ts";
import type { ShadowService } from "../shadow/shadow-service.ts";
import { awsTopics } from "../shadow/topic-rules.ts";
import { mqttBroker } from "./mqtt-broker.ts";
import { mqttListener } from "./mqtt-listener.ts";
import type { MqttLimits } from "./protocol/mqtt-limits.ts";
import { noSessionStore, type SessionStore } from "./sessions/session-store.ts";

interface Given {
  readonly answer?: ShadowService["answer"];
  readonly limits?: Partial<MqttLimits>;
  readonly clock?: Clock;
  readonly store?: SessionStore;
  /** Users whose passwords are their names. */
  readonly users?: readonly string[];
  readonly ownThingOnly?: boolean;
}

/** A broker on a free port, until the test is over. */
async function start(given: Given = {}) {
  const { answer = async () => [], limits, clock = systemClock, users, ownThingOnly = false, store } = given;
  const broker = await mqttBroker({
    service: awsTopics({ answer }),
    guard: mqttGuard({
      passwords: users && {
        users: new Set(users),
        check: async (name, password) => name === password && users.includes(name),
      },
      ownThingOnly,
    }),
    clock,
    logger: silentLogger,
    limits: limits ?? {},
    ...(store && { store }),
  });
  const target = { listener: "mqtt", host: "127.0.0.1", port: 0, portFlag: "" };
  const listener = mqttListener({ target, broker, clock: systemClock });
  const port = Number(new URL(await listener.start()).port);
  onTestFinished(() => listener.stop(0));
  return { broker, port };
}

const update = "$aws/things/t/shadow/update";
const large = "x".repeat(100_000);

describe("a subscriber that does not read", () => {
  test("is disconnected once too many bytes wait for it, and others receive every message", async () => {
    const { broker, port } = await start({ limits: { unsentBytes: 1_000_000 } });
    const deaf = await connectedClient(port, { filters: ["news"] });
    deaf.socket.pause();
    const other = await connectedClient(port, { filters: ["news"] });
    const sender = await connectedClient(port);
    for (let count = 1; count <= 200; count++) {
      sender.send(publish("news", large, count));
      // Received messages are acknowledged, so that only the client that does not read falls behind.
      await until(() => messagesOf(other) === count);
    }
    await until(() => broker.clients() === 2);
    deaf.socket.resume();
    await deaf.closed;
  });

  test("is disconnected when it reads nothing for too long, however little waits", async () => {
    const clock = fakeClock();
    const { broker, port } = await start({ clock });
    const deaf = await connectedClient(port, { filters: ["news"] });
    deaf.socket.pause();
    // More than the system's own buffers hold, and below the limit.
    for (let count = 0; count < 100; count++) void broker.publish({ topic: "news", payload: large, qos: 0 });
    expect(broker.clients()).toBe(1);
    await clock.advance(10_000);
    await until(() => broker.clients() === 0);
  });

  test("is kept as long as it reads some", async () => {
    const clock = fakeClock();
    const { broker, port } = await start({ clock, limits: { unsentBytes: 20_000_000 } });
    const slow = await connectedClient(port, { filters: ["news"] });
    slow.socket.pause();
    for (let count = 1; count <= 100; count++) void broker.publish({ topic: "news", payload: large, qos: 0 });
    await clock.advance(9_000);
    slow.socket.resume();
    await until(() => messagesOf(slow) === 100);
    await clock.advance(30_000);
    await slow.ping();
    expect(broker.clients()).toBe(1);
  });

  test("is disconnected if it has the most waiting bytes when the total is exceeded", async () => {
    const { broker, port } = await start({ limits: { allUnsentBytes: 9_000_000, unsentBytes: 8_000_000 } });
    const most = await connectedClient(port, { filters: ["all", "most"] });
    const some = await connectedClient(port, { filters: ["all"] });
    for (const { socket } of [most, some]) socket.pause();
    for (let count = 0; count < 120 && broker.clients() === 2; count++) {
      void broker.publish({ topic: "most", payload: large, qos: 0 });
      void broker.publish({ topic: "all", payload: large.slice(0, 10_000), qos: 0 });
      await new Promise(setImmediate);
    }
    await until(() => broker.clients() === 1);
    some.socket.resume();
    await some.ping();
  });

  test("or that acknowledges nothing is disconnected", async () => {
    const { broker, port } = await start({ limits: { unacknowledged: 10 } });
    const silent = await connectedClient(port, { filters: ["news"] });
    const polite = await connectedClient(port, { filters: ["news"] });
    for (let count = 1; count <= 30; count++) {
      void broker.publish({ topic: "news", payload: String(count), qos: 1 });
      await until(() => messagesOf(polite) === count);
      const messageId = polite.received.findLast(({ cmd }) => cmd === "publish")?.messageId;
      polite.send({ cmd: "puback", messageId: messageId ?? 0 });
      await polite.ping();
    }
    await silent.closed;
    expect(payloadsOf(silent)).toHaveLength(10);
    expect(broker.clients()).toBe(1);
  });
});

describe("a client that publishes", () => {
  test("has a bounded number of requests in flight; the rest stays in its socket", async () => {
    const answers: (() => void)[] = [];
    const answer = () => new Promise<[]>((resolve) => answers.push(() => resolve([])));
    const { port } = await start({ answer, limits: { requestsInFlight: 5 } });
    const client = await connectedClient(port);
    for (let id = 1; id <= 50; id++) client.send(publish(update, "{}", id));
    await until(() => answers.length === 5);
    const other = await connectedClient(port);
    await other.ping();
    expect(answers).toHaveLength(5);
    for (let done = 0; done < 50; done++) {
      await until(() => answers.length > done);
      answers[done]?.();
    }
    await client.ping();
    expect(client.received.filter(({ cmd }) => cmd === "puback")).toHaveLength(50);
  });

  test("waits its turn if all clients together have too many requests in flight", async () => {
    const answers: (() => void)[] = [];
    const answer = () => new Promise<[]>((resolve) => answers.push(() => resolve([])));
    const { port } = await start({ answer, limits: { allRequestsInFlight: 3 } });
    const clients = await Promise.all(Array.from({ length: 6 }, () => connectedClient(port)));
    for (const client of clients) for (let id = 1; id <= 4; id++) client.send(publish(update, "{}", id));
    await until(() => answers.length === 3);
    const other = await connectedClient(port);
    await other.ping();
    expect(answers).toHaveLength(3);
    for (let done = 0; done < 24; done++) {
      await until(() => answers.length > done);
      answers[done]?.();
    }
    for (const client of clients) {
      await client.ping();
      expect(client.received.filter(({ cmd }) => cmd === "puback")).toHaveLength(4);
    }
    expect(answers).toHaveLength(24);
  });

  test("is not taken for silent while the server does not read from it", async () => {
    const clock = fakeClock();
    const answers: (() => void)[] = [];
    const answer = () => new Promise<[]>((resolve) => answers.push(() => resolve([])));
    const { broker, port } = await start({ answer, clock, limits: { allRequestsInFlight: 1 } });
    const [first, second] = [await connectedClient(port), await connectedClient(port)];
    first.send(publish(update, "{}", 1));
    await until(() => answers.length === 1);
    second.send(publish(update, "{}", 1));
    second.send({ cmd: "pingreq" });
    // What was sent before this ping has reached the server.
    await (await connectedClient(port)).ping();
    // The other clients are read from, and say nothing.
    await clock.advance(1_200_000 * 1.5 + 1);
    await until(() => broker.clients() === 1);
    answers[0]?.();
    await until(() => answers.length === 2);
    answers[1]?.();
    // In any order: a request runs while further packets are read.
    await until(() =>
      ["pingresp", "puback"].every((kind) => second.received.some(({ cmd }) => cmd === kind)),
    );
    expect(second.received.filter(({ cmd }) => cmd === "puback")).toHaveLength(1);
  });

  test("and does not read its answers is not read from, and then disconnected", async () => {
    const clock = fakeClock();
    let asked = 0;
    const answer = async () => {
      asked++;
      return [{ topic: `${update}/accepted`, payload: large }];
    };
    const { broker, port } = await start({ answer, clock, limits: { unsentBytes: 50_000_000 } });
    const client = await connectedClient(port, { filters: [`${update}/accepted`] });
    client.socket.pause();
    for (let id = 1; id <= 1_000; id++) client.send(publish(update, "{}", id));
    const other = await connectedClient(port);
    let before = -1;
    while (before !== asked) {
      before = asked;
      for (let turn = 0; turn < 20; turn++) await other.ping();
    }
    expect(asked).toBeLessThan(1_000);
    await clock.advance(10_000);
    await until(() => broker.clients() === 1);
  });

  test("is answered and acknowledged in the order of its messages, whichever is done first", async () => {
    const done = new Map<string, () => void>();
    const answer: ShadowService["answer"] = (_request, payload) =>
      new Promise((resolve) =>
        done.set(String(payload), () => resolve([{ topic: `${update}/accepted`, payload: String(payload) }])),
      );
    const { port } = await start({ answer });
    const client = await connectedClient(port, { filters: [`${update}/accepted`] });
    client.send(publish(update, "1", 1), publish(update, "2", 2), publish("plain", "", 3));
    await until(() => done.size === 2);
    done.get("2")?.();
    await client.ping();
    done.get("1")?.();
    await until(() => client.received.filter(({ cmd }) => cmd === "puback").length === 3);
    const order = client.received.flatMap((packet) =>
      packet.cmd === "puback"
        ? [`acknowledged ${packet.messageId}`]
        : packet.cmd === "publish"
          ? [`${packet.payload}`]
          : [],
    );
    expect(order).toEqual(["1", "acknowledged 1", "2", "acknowledged 2", "acknowledged 3"]);
  });

  test("stays connected after a request to another AWS service, and is disconnected if it may not publish", async () => {
    const { port } = await start();
    const client = await connectedClient(port);
    client.send(publish("$aws/things/x/jobs/get", "{}", 1));
    expect(await client.first("puback")).toMatchObject({ messageId: 1 });
    for (const topic of ["$SYS/x", "$aws/things/t/shadow/update/accepted", "a/+", "#", "x".repeat(513)]) {
      const other = await connectedClient(port);
      other.send(publish(topic, "{}", 1));
      await other.closed;
    }
    await client.ping();
  });
});

describe("the identity of a client", () => {
  test("the client id of another user's client does not end that connection", async () => {
    const { port } = await start({ users: ["lamp", "thief"], ownThingOnly: true });
    const signedIn = (name: string) => ({ username: name, password: Buffer.from(name) });
    const lamp = await connectedClient(port, { clientId: "lamp", ...signedIn("lamp") });
    const thief = await connectedClient(port, { clientId: "lamp", ...signedIn("thief") });
    await lamp.ping();
    await thief.ping();
    // A second connection of the same user replaces the first, as MQTT requires.
    const again = await connectedClient(port, { clientId: "lamp", ...signedIn("lamp") });
    await lamp.closed;
    await again.ping();
    await thief.ping();
  });

  test("a user whose name is a wildcard receives nothing and reaches nothing", async () => {
    const users = ["+", "#", "a/b", "lamp"];
    const { broker, port } = await start({ users, ownThingOnly: true });
    for (const name of users.slice(0, 3)) {
      const client = await connectedClient(port, { username: name, password: Buffer.from(name) });
      const filters = [`$aws/things/${name}/shadow/#`, "#", "$aws/#", "$aws/things/+/shadow/#"];
      const subscriptions = filters.map((topic) => ({ topic, qos: 1 as const }));
      client.send({ cmd: "subscribe", messageId: 1, subscriptions });
      expect(await client.first("suback")).toMatchObject({ granted: [128, 128, 128, 128] });
      void broker.publish({ topic: "$aws/things/lamp/shadow/update/delta", payload: "{}", qos: 0 });
      await client.ping();
      expect(payloadsOf(client)).toEqual([]);
      client.send(publish("$aws/things/lamp/shadow/get", ""));
      await client.closed;
    }
  });

  test("a client has a bounded number of subscriptions, each counted once", async () => {
    const { broker, port } = await start({ limits: { subscriptions: 10 } });
    const client = await connectedClient(port, { filters: Array.from({ length: 10 }, (_, at) => `f${at}`) });
    const subscribe = (messageId: number, topic: string) => {
      client.send({ cmd: "subscribe", messageId, subscriptions: [{ topic, qos: 0 }] });
      return client.ping();
    };
    await subscribe(2, "f0");
    await subscribe(3, "more");
    client.send({ cmd: "unsubscribe", messageId: 4, unsubscriptions: ["f1"] });
    await subscribe(5, "more");
    const granted = client.received.flatMap((packet) => (packet.cmd === "suback" ? [packet.granted] : []));
    expect(granted.slice(1)).toEqual([[0], [128], [0]]);
    void broker.publish({ topic: "f1", payload: "not received", qos: 0 });
    void broker.publish({ topic: "more", payload: "received", qos: 0 });
    await client.ping();
    expect(payloadsOf(client)).toEqual(["received"]);
  });

  test("the first packet must be CONNECT, and only the first", async () => {
    const { port } = await start();
    const early = await packetClient(port);
    early.send({ cmd: "pingreq" });
    await early.closed;
    const twice = await connectedClient(port);
    twice.send({ cmd: "connect", clientId: "again", clean: true });
    await twice.closed;
    const anonymous = await packetClient(port);
    anonymous.send({ cmd: "connect", clientId: "x", clean: true, keepalive: 0 });
    await anonymous.first("connack");
  });
});

test("publishes a last will when a connection breaks, and not after DISCONNECT", async () => {
  const { port } = await start();
  const listener = await connectedClient(port, { filters: ["wills"] });
  const will = (payload: string) => ({
    will: { topic: "wills", payload: Buffer.from(payload), qos: 0 as const, retain: false },
  });
  const cut = await connectedClient(port, will("cut"));
  const polite = await connectedClient(port, will("polite"));
  polite.send({ cmd: "disconnect" });
  await polite.closed;
  cut.socket.destroy();
  await until(() => messagesOf(listener) > 0);
  expect(payloadsOf(listener)).toEqual(["cut"]);
});

test("a message that cannot be stored for a subscriber ends its sender's connection, even while its request is performed", async () => {
  const outboxOf = () => ({ save: () => Promise.reject(new Error("the table is closed")), remove() {} });
  const { port } = await start({
    store: { ...noSessionStore, outboxOf },
    // Never answered: nothing may wait for the answer before it handles the failure.
    answer: () => new Promise(() => {}),
  });
  await connectedClient(port, { clientId: "lasting", clean: false, filters: [update] });
  const sender = await connectedClient(port);
  sender.send(publish(update, "{}", 1));
  await sender.closed;
});
