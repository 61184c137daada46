import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { messagesOf, packetClient, payloadsOf, until } from "../../../test/shadow/packet-client.ts";
import { disconnectOf, receivedBy, startBroker as start } from "../../../test/shadow/start-broker.ts";
import { reason } from "./protocol/reason-codes.ts";

describe("a client of MQTT 5", () => {
  test("learns what the server supports, and its assigned id", async () => {
    const { port } = await start();
    const client = await packetClient(port, 5);
    client.send({
      cmd: "connect",
      clientId: "",
      clean: true,
      protocolVersion: 5,
      properties: { sessionExpiryInterval: 0xffffffff },
    });
    const { reasonCode, properties } = await client.first("connack");
    expect(reasonCode).toBe(0);
    expect(properties).toMatchObject({
      assignedClientIdentifier: expect.stringMatching(/^.{36}$/),
      sessionExpiryInterval: 604_800,
      serverKeepAlive: 1200,
      receiveMaximum: 100,
      maximumQoS: 1,
      topicAliasMaximum: 8,
      maximumPacketSize: 132_096,
      subscriptionIdentifiersAvailable: false,
    });
  });

  test("is rejected with a reason code", async () => {
    const { client } = await start();
    await expect(client({ username: "unknown" })).rejects.toMatchObject({
      code: reason.badUserNameOrPassword,
    });
    await expect(client({ clientId: "forbidden" })).rejects.toMatchObject({ code: reason.notAuthorized });
    await expect(client({ clientId: "x".repeat(129) })).rejects.toMatchObject({
      code: reason.clientIdInvalid,
    });
    const old = client({ protocolVersion: 4, clientId: "forbidden" });
    await expect(old).rejects.toMatchObject({ code: 5 });
  });

  test("receives the properties of a message, and one of MQTT 3.1.1 its payload", async () => {
    const { client } = await start();
    const [five, four] = [await client(), await client({ protocolVersion: 4 })];
    const [atFive, atFour] = [receivedBy(five), receivedBy(four)];
    await five.subscribeAsync("news", { qos: 1 });
    await four.subscribeAsync("news", { qos: 1 });
    const properties = {
      contentType: "text/plain",
      payloadFormatIndicator: true,
      responseTopic: "answers",
      correlationData: Buffer.from([1, 2]),
      userProperties: { one: ["1", "2"], other: "3" },
      messageExpiryInterval: 60,
    };
    await five.publishAsync("news", "new", { qos: 1, properties });
    await four.publishAsync("news", "old", { qos: 1 });
    await until(() => atFive.length === 2 && atFour.length === 2);
    expect(atFive[0]?.properties).toMatchObject(properties);
    expect(atFour.map(({ payload }) => payload)).toEqual(["new", "old"]);
  });

  test("has its own subscription options", async () => {
    const { client } = await start();
    const [one, other] = [await client(), await client()];
    const received = receivedBy(one);
    await other.publishAsync("kept/a", "1", { qos: 1, retain: true });
    await one.subscribeAsync("local", { qos: 1, nl: true });
    await one.subscribeAsync("flagged", { qos: 1, rap: true });
    await one.subscribeAsync("plain", { qos: 1 });
    await one.subscribeAsync("kept/+", { qos: 1, rh: 2 });
    await one.publishAsync("local", "own", { qos: 1 });
    await other.publishAsync("local", "other's", { qos: 1 });
    await other.publishAsync("flagged", "f", { qos: 1, retain: true });
    await other.publishAsync("plain", "p", { qos: 1, retain: true });
    await one.subscribeAsync("kept/#", { qos: 1, rh: 1 });
    await until(() => received.length === 4);
    await one.subscribeAsync("kept/#", { qos: 1, rh: 1 });
    await one.subscribeAsync("kept/#", { qos: 1, rh: 0 });
    await until(() => received.length === 5);
    expect(received.map(({ payload, retain }) => [payload, retain])).toEqual([
      ["other's", false],
      ["f", true],
      ["p", false],
      ["1", true],
      ["1", true],
    ]);
  });

  test("receives the retained message of a topic until it is removed or expires", async () => {
    const clock = fakeClock();
    const { client, broker } = await start({ clock });
    const sender = await client();
    await sender.publishAsync("a", "kept", { qos: 1, retain: true });
    await sender.publishAsync("b", "removed", { qos: 1, retain: true });
    await sender.publishAsync("b", "", { qos: 1, retain: true });
    const properties = { messageExpiryInterval: 5 };
    await sender.publishAsync("c", "expired", { qos: 1, retain: true, properties });
    await clock.advance(5_000);
    const late = await client();
    const received = receivedBy(late);
    await late.subscribeAsync("#", { qos: 1 });
    await until(() => received.length === 1);
    expect(received).toMatchObject([{ topic: "a", payload: "kept", retain: true }]);
    expect(broker.retained.all(clock.now()).map(({ topic }) => topic)).toEqual(["a"]);
  });

  test("can have a message retained in place of one that has expired", async () => {
    const clock = fakeClock();
    const { client, broker } = await start({ clock, limits: { retainedMessages: 2 } });
    const sender = await client();
    const kept = () => broker.retained.all(clock.now()).map(({ topic }) => topic);
    const properties = { messageExpiryInterval: 5 };
    await sender.publishAsync("a", "expires", { qos: 1, retain: true, properties });
    await sender.publishAsync("b", "stays", { qos: 1, retain: true });
    await sender.publishAsync("c", "too many", { qos: 1, retain: true });
    expect(kept()).toEqual(["a", "b"]);
    await clock.advance(5_000);
    await sender.publishAsync("c", "fits", { qos: 1, retain: true });
    await sender.publishAsync("d", "too many", { qos: 1, retain: true });
    expect(kept()).toEqual(["b", "c"]);
  });

  test("of a later version is rejected as unsupported", async () => {
    const { port } = await start();
    const client = await packetClient(port);
    client.send(Buffer.from([0x10, 12, 0, 4, ...Buffer.from("MQTT"), 6, 2, 0, 60, 0, 0]));
    expect(await client.first("connack")).toMatchObject({ returnCode: 1 });
    await client.closed;
  });

  test("receives the reason when it is disconnected", async () => {
    const { client, broker } = await start();
    const qos2 = await client();
    const refused = disconnectOf(qos2);
    qos2.publish("a", "x", { qos: 2 });
    expect(await refused).toBe(reason.qosNotSupported);
    const large = await client();
    const tooLarge = disconnectOf(large);
    // The client itself honors the server's limit, so the packet is written by hand.
    large.stream.write(Buffer.from([0x30, 0xff, 0xff, 0x7f]));
    expect(await tooLarge).toBe(reason.packetTooLarge);
    const first = await client({ clientId: "same" });
    const taken = disconnectOf(first);
    await client({ clientId: "same" });
    expect(await taken).toBe(reason.sessionTakenOver);
    const closed = await client({ clientId: "closed" });
    const administrative = disconnectOf(closed);
    expect(broker.disconnect("closed", { cleanSession: false, withoutWill: true })).toBe(true);
    expect(await administrative).toBe(reason.administrativeAction);
    expect(broker.disconnect("closed", { cleanSession: false, withoutWill: true })).toBe(false);
    const local = await client();
    const protocolError = disconnectOf(local);
    local.subscribe("$share/group/a", { qos: 1, nl: true });
    expect(await protocolError).toBe(reason.protocolError);
    const stopped = await client();
    const stopping = disconnectOf(stopped);
    broker.announceEnd();
    expect(await stopping).toBe(reason.serverShuttingDown);
  });

  test("stays connected after a message that it may not publish, and a subscription that it may not have", async () => {
    const { client, broker } = await start({ limits: { subscriptions: 1 } });
    const one = await client();
    await expect(one.publishAsync("secret", "x", { qos: 1 })).rejects.toMatchObject({
      code: reason.notAuthorized,
    });
    await expect(one.publishAsync("$SYS/x", "x", { qos: 1 })).rejects.toMatchObject({
      code: reason.notAuthorized,
    });
    await expect(one.subscribeAsync("secret", { qos: 1 })).rejects.toThrow();
    const received = receivedBy(one);
    await one.subscribeAsync("+", { qos: 1 });
    await expect(one.subscribeAsync("another", { qos: 1 })).rejects.toThrow();
    await broker.publish({ topic: "hidden", payload: "x", qos: 1 });
    await one.publishAsync("shown", "y", { qos: 1 });
    await until(() => received.length > 0);
    expect(received.map(({ topic }) => topic)).toEqual(["shown"]);
  });

  test("may replace topics by aliases, and receives aliases if it accepts them", async () => {
    const { port } = await start();
    const sender = await packetClient(port, 5);
    sender.send({
      cmd: "connect",
      clientId: "",
      clean: true,
      protocolVersion: 5,
      properties: { topicAliasMaximum: 1 },
    });
    await sender.first("connack");
    sender.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "#", qos: 0 }] });
    await sender.first("suback");
    const shared = { cmd: "publish", dup: false, retain: false, qos: 0 } as const;
    sender.send({ ...shared, topic: "a", payload: "1", properties: { topicAlias: 8 } });
    sender.send({ ...shared, topic: "", payload: "2", properties: { topicAlias: 8 } });
    sender.send({ ...shared, topic: "b", payload: "3", properties: { topicAlias: 8 } });
    sender.send({ ...shared, topic: "", payload: "4", properties: { topicAlias: 8 } });
    await sender.ping();
    const packets = sender.received.flatMap((packet) => (packet.cmd === "publish" ? [packet] : []));
    expect(
      packets.map(({ topic, properties, payload }) => [topic, properties?.topicAlias, String(payload)]),
    ).toEqual([
      ["a", 1, "1"],
      ["", 1, "2"],
      ["b", undefined, "3"],
      ["b", undefined, "4"],
    ]);
    sender.send({ ...shared, topic: "a", payload: "5", properties: { topicAlias: 9 } });
    expect(await sender.first("disconnect")).toMatchObject({ reasonCode: reason.topicAliasInvalid });
  });

  test("gets at most its receive maximum of unacknowledged messages, and none above its packet size", async () => {
    const { port, broker } = await start();
    const client = await packetClient(port, 5);
    const properties = { receiveMaximum: 2, maximumPacketSize: 100 };
    client.send({ cmd: "connect", clientId: "", clean: true, protocolVersion: 5, properties });
    await client.first("connack");
    client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "news", qos: 1 }] });
    await client.first("suback");
    for (const payload of ["1", "2", "3", "x".repeat(200), "4"])
      void broker.publish({ topic: "news", payload, qos: 1 });
    await client.ping();
    expect(payloadsOf(client)).toEqual(["1", "2"]);
    client.send({ cmd: "puback", messageId: 1 });
    await until(() => messagesOf(client) === 3);
    client.send({ cmd: "puback", messageId: 2 });
    await until(() => messagesOf(client) === 4);
    expect(payloadsOf(client)).toEqual(["1", "2", "3", "4"]);
  });

  test("passes on what a client of a shared subscription has not acknowledged when its session ends", async () => {
    const { port, broker } = await start();
    const member = async () => {
      const client = await packetClient(port, 5);
      client.send({ cmd: "connect", clientId: "", clean: true, keepalive: 0, protocolVersion: 5 });
      await client.first("connack");
      const subscriptions = [{ topic: "$share/group/jobs", qos: 1 } as const];
      client.send({ cmd: "subscribe", messageId: 1, subscriptions });
      await client.first("suback");
      return client;
    };
    const [one, other] = [await member(), await member()];
    for (const payload of ["1", "2", "3", "4"]) void broker.publish({ topic: "jobs", payload, qos: 1 });
    await until(() => messagesOf(one) === 2 && messagesOf(other) === 2);
    const [acknowledged = "", left = ""] = payloadsOf(one);
    one.send({ cmd: "puback", messageId: 1 });
    await one.ping();
    one.socket.destroy();
    await until(() => messagesOf(other) === 3);
    await other.ping();
    expect(payloadsOf(other).at(-1)).toBe(left);
    expect(payloadsOf(other)).not.toContain(acknowledged);
    const again = other.received.flatMap((packet) => (packet.cmd === "publish" ? [packet] : [])).at(-1);
    expect(again).toMatchObject({ dup: false, messageId: 3 });
  });

  test("shares a subscription with others: each message goes to one of them", async () => {
    const { client } = await start();
    const members = [await client(), await client(), await client({ protocolVersion: 4 })];
    const received = members.map(receivedBy);
    for (const member of members) await member.subscribeAsync("$share/group/news/+", { qos: 1 });
    const sender = await client();
    for (let n = 0; n < 9; n++) await sender.publishAsync(`news/${n}`, String(n), { qos: 1 });
    await until(() => received.flat().length === 9);
    expect(received.map((each) => each.length)).toEqual([3, 3, 3]);
    await members[0]?.unsubscribeAsync("$share/group/news/+");
    await members[1]?.endAsync();
    for (let n = 0; n < 4; n++) await sender.publishAsync(`news/${n}`, String(n), { qos: 1 });
    await until(() => received.flat().length === 13);
    expect(received.map((each) => each.length)).toEqual([3, 3, 7]);
  });

  test("shares a subscription with a client that may not receive the messages: it gets all of them", async () => {
    const access = { mayPublish: () => true, maySubscribe: () => true };
    const { client } = await start({
      guard: {
        signIn: async () => ({}),
        accessOf: ({ clientId }) => ({ ...access, mayReceive: () => clientId !== "deaf" }),
      },
    });
    const [deaf, other] = [await client({ clientId: "deaf" }), await client()];
    const received = receivedBy(other);
    for (const member of [deaf, other]) await member.subscribeAsync("$share/group/news", { qos: 1 });
    for (let n = 0; n < 4; n++) await other.publishAsync("news", String(n), { qos: 1 });
    await until(() => received.length === 4);
  });

  test("loses what it sends above the rate, and gets a reason code", async () => {
    const clock = fakeClock();
    const { client } = await start({ clock, limits: { publishesPerSecond: 3 } });
    const sender = await client();
    const codes: unknown[] = [];
    const send = () =>
      sender.publishAsync("a", "x", { qos: 1 }).then(
        () => codes.push(0),
        ({ code }) => codes.push(code),
      );
    for (let n = 0; n < 5; n++) await send();
    await clock.advance(1_000);
    await send();
    expect(codes).toEqual([0, 0, 0, reason.quotaExceeded, reason.quotaExceeded, 0]);
  });
});

test("requests and their answers work over MQTT 5", async () => {
  const { client } = await start();
  const one = await client();
  const received = receivedBy(one);
  await one.subscribeAsync("$echo/answer", { qos: 1 });
  await one.publishAsync("$echo", "hello", { qos: 1 });
  await until(() => received.length === 1);
  expect(received).toMatchObject([{ topic: "$echo/answer", payload: "hello" }]);
});
