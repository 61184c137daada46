import { describe, expect, test } from "vitest";
import { type PacketClient, packetClient } from "../../../../test/shadow/packet-client.ts";
import { receivedBy, startBroker as start } from "../../../../test/shadow/start-broker.ts";
import { reason } from "./reason-codes.ts";

/** Packets are put together by hand here: those that a library writes are valid. */
const number = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const string = (value: string | Buffer) => Buffer.concat([number(value.length), Buffer.from(value)]);
const packet = (header: number, ...parts: readonly Buffer[]) => {
  const body = Buffer.concat(parts);
  expect(body.length).toBeLessThan(128);
  return Buffer.from([header, body.length, ...body]);
};
const list = (properties: Buffer) => Buffer.from([properties.length, ...properties]);
const none = Buffer.alloc(0);

function connect(
  version: 4 | 5,
  more: { flags?: number; clientId?: string | Buffer; rest?: Buffer; properties?: Buffer } = {},
) {
  const { flags = 2, clientId = "c", rest = none, properties = none } = more;
  const head = [string("MQTT"), Buffer.from([version, flags, 0, 60])];
  return packet(0x10, ...head, version === 5 ? list(properties) : none, string(clientId), rest);
}

/** A PUBLISH of QoS 1 by MQTT 5. */
function publish(properties: Buffer, { topic = "t" as string | Buffer, messageId = 1 } = {}) {
  return packet(0x32, string(topic), number(messageId), list(properties), Buffer.from("x"));
}

const userProperty = (name: string, value: string) =>
  Buffer.concat([Buffer.from([0x26]), string(name), string(value)]);
const contentType = (type: string) => Buffer.concat([Buffer.from([0x03]), string(type)]);
const correlation = (data: string) => Buffer.concat([Buffer.from([0x09]), string(data)]);
const responseTopic = (topic: string) => Buffer.concat([Buffer.from([0x08]), string(topic)]);

async function connected(port: number, version: 4 | 5): Promise<PacketClient> {
  const client = await packetClient(port, version);
  client.send(connect(version));
  await client.first("connack");
  return client;
}

describe("a message with properties that MQTT does not allow", () => {
  test.each([
    ["a session expiry interval", Buffer.from([0x11, 0, 0, 0, 1])],
    ["a server keep alive", Buffer.from([0x13, 0, 1])],
    ["an assigned client id", Buffer.concat([Buffer.from([0x12]), string("z")])],
    ["a subscription identifier", Buffer.from([0x0b, 1])],
    ["two content types", Buffer.concat([contentType("a"), contentType("b")])],
    ["two expiry intervals", Buffer.from([0x02, 0, 0, 0, 9, 0x02, 0, 0, 0, 8])],
    ["correlation data twice", Buffer.concat([correlation("a"), correlation("b")])],
    ["a response topic with a wildcard", responseTopic("r/#")],
    ["an empty response topic", responseTopic("")],
  ])("ends the connection of its publisher and reaches nobody: %s", async (_name, properties) => {
    const { client, port } = await start();
    const subscriber = await client();
    const received = receivedBy(subscriber);
    await subscriber.subscribeAsync("t", { qos: 1 });
    const publisher = await connected(port, 5);
    publisher.send(publish(properties));
    expect(await publisher.first("disconnect")).toMatchObject({ reasonCode: reason.protocolError });
    await publisher.closed;
    await subscriber.publishAsync("t", "next", { qos: 1 });
    expect(received.map(({ payload }) => payload)).toEqual(["next"]);
  });
});

test("user properties reach subscribers in their order, with empty and repeated ones", async () => {
  const { port } = await start();
  const [subscriber, publisher] = [await packetClient(port, 5), await connected(port, 5)];
  subscriber.send(connect(5, { clientId: "s" }));
  await subscriber.first("connack");
  const bytes: Buffer[] = [];
  subscriber.socket.on("data", (chunk) => bytes.push(chunk));
  subscriber.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "t", qos: 1 }] });
  await subscriber.first("suback");
  const pairs = [
    ["b", "1"],
    ["2", "x"],
    ["1", "y"],
    ["c", ""],
    ["b", ""],
    ["c", "3"],
    ["__proto__", "p"],
  ];
  const properties = Buffer.concat(pairs.map(([name = "", value = ""]) => userProperty(name, value)));
  publisher.send(publish(properties));
  await subscriber.first("publish");
  expect(Buffer.concat(bytes).includes(properties)).toBe(true);
});

describe("a string that is not UTF-8, or contains U+0000,", () => {
  const wrong = [Buffer.from([0x61, 0xff]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0x61, 0])];

  test.each(wrong)("ends the connection as a client id, a topic or a filter: %o", async (text) => {
    const { port } = await start();
    const client = await packetClient(port);
    client.send(connect(4, { clientId: text }));
    await client.closed;
    expect(client.received).toEqual([]);
    for (const bytes of [
      packet(0x30, string(text)),
      packet(0x82, number(1), string(text), Buffer.from([0])),
      packet(0xa2, number(1), string(text)),
    ]) {
      const other = await connected(port, 4);
      other.send(bytes);
      await other.closed;
      expect(other.received.map(({ cmd }) => cmd)).toEqual(["connack"]);
    }
    const five = await connected(port, 5);
    five.send(publish(none, { topic: text }));
    const { reasonCode } = await five.first("disconnect");
    expect(reasonCode).toBe(reason.malformedPacket);
  });

  test("is not one that contains U+FFFD", async () => {
    const { client } = await start();
    const subscriber = await client();
    const received = receivedBy(subscriber);
    await subscriber.subscribeAsync("a\ufffd", { qos: 1 });
    await subscriber.publishAsync("a\ufffd", "x", { qos: 1 });
    expect(received.map(({ topic }) => topic)).toEqual(["a\ufffd"]);
  });
});

test.each([
  ["PUBLISH with the packet id 0", packet(0x32, string("t"), number(0))],
  ["SUBSCRIBE with the packet id 0", packet(0x82, number(0), string("t"), Buffer.from([0]))],
  ["UNSUBSCRIBE with the packet id 0", packet(0xa2, number(0), string("t"))],
  ["UNSUBSCRIBE without a filter", packet(0xa2, number(1))],
  ["PUBACK with the packet id 0", packet(0x40, number(0))],
])("%s ends the connection", async (_name, bytes) => {
  const { port } = await start();
  const client = await connected(port, 4);
  client.send(bytes);
  await client.closed;
  expect(client.received.map(({ cmd }) => cmd)).toEqual(["connack"]);
});

describe("a packet whose fields do not fill it", () => {
  const ping = packet(0xc0);

  test.each([
    ["PUBACK of 0 bytes", packet(0x40)],
    ["PUBACK of 1 byte", packet(0x40, Buffer.from([0]))],
    ["PINGREQ of 1 byte", packet(0xc0, Buffer.from([0]))],
    ["PUBLISH of QoS 1 without a packet id", packet(0x32, string("t"))],
    ["PUBLISH with half a packet id", packet(0x32, string("t"), Buffer.from([0]))],
    ["SUBSCRIBE of 1 byte", packet(0x82, Buffer.from([0]))],
  ])("ends the connection, alone and before another packet: %s", async (_name, bytes) => {
    const { port } = await start();
    for (const version of [4, 5] as const)
      for (const sent of [bytes, Buffer.concat([bytes, ping])]) {
        const client = await connected(port, version);
        client.send(sent);
        await client.closed;
        const ends = version === 5 ? [reason.malformedPacket] : [];
        const [, ...rest] = client.received;
        expect(rest.map((each) => each.cmd === "disconnect" && each.reasonCode)).toEqual(ends);
      }
  });

  test("PUBACK of 3 bytes ends a connection of MQTT 3.1.1", async () => {
    const { port } = await start();
    const client = await connected(port, 4);
    client.send(packet(0x40, number(1), Buffer.from([0])));
    await client.closed;
  });

  test.each([
    ["PUBLISH without the length of its properties", packet(0x30, string("t"))],
    ["PUBLISH with properties beyond its end", packet(0x30, string("t"), Buffer.from([5, 1]))],
    [
      "PUBLISH with a property beyond the end of the properties",
      packet(0x30, string("t"), Buffer.from([2, 2, 0, 0, 0, 9])),
    ],
    ["UNSUBSCRIBE with an incomplete length", packet(0xa2, number(1), Buffer.from([0x80]))],
    ["DISCONNECT with half a property", packet(0xe0, Buffer.from([0, 5, 0x11, 0, 0]))],
  ])("ends a connection of MQTT 5: %s", async (_name, bytes) => {
    const { port } = await start();
    for (const sent of [bytes, Buffer.concat([bytes, ping])]) {
      const client = await connected(port, 5);
      client.send(sent);
      const { reasonCode } = await client.first("disconnect");
      expect(reasonCode).toBe(reason.malformedPacket);
      await client.closed;
    }
  });

  test("is not one that may be short: PUBACK of 2 to 4 bytes, DISCONNECT of 0 to 2", async () => {
    const { port } = await start();
    const acknowledging = await connected(port, 5);
    for (const rest of [none, Buffer.from([0x10]), Buffer.from([0x10, 0])])
      acknowledging.send(packet(0x40, number(1), rest));
    await acknowledging.ping();
    for (const rest of [none, Buffer.from([0]), Buffer.from([0, 0])]) {
      const client = await connected(port, 5);
      client.send(packet(0xe0, rest));
      await client.closed;
      expect(client.received.map(({ cmd }) => cmd)).toEqual(["connack"]);
    }
  });
});

describe("CONNECT", () => {
  const will = (topic: string) => Buffer.concat([string(topic), string("gone")]);

  test.each([
    [
      "a will on an empty topic",
      { flags: 6, rest: Buffer.concat([list(none), will("")]) },
      reason.topicNameInvalid,
    ],
    [
      "a will on a filter",
      { flags: 6, rest: Buffer.concat([list(none), will("a/+")]) },
      reason.topicNameInvalid,
    ],
    [
      "a will with QoS 3",
      { flags: 0x1e, rest: Buffer.concat([list(none), will("a")]) },
      reason.malformedPacket,
    ],
    [
      "a property of another packet in its will",
      { flags: 6, rest: Buffer.concat([list(Buffer.from([0x13, 0, 1])), will("a")]) },
      reason.protocolError,
    ],
    [
      "a session expiry interval twice",
      { properties: Buffer.from([0x11, 0, 0, 0, 1, 0x11, 0, 0, 0, 1]) },
      reason.protocolError,
    ],
    [
      "authentication data without a method",
      { properties: Buffer.concat([Buffer.from([0x16]), string("x")]) },
      reason.protocolError,
    ],
  ])("with %s is rejected with a reason code", async (_name, more, code) => {
    const { port } = await start();
    const client = await packetClient(port, 5);
    client.send(connect(5, more));
    expect(await client.first("connack")).toMatchObject({ reasonCode: code });
    await client.closed;
  });

  test("of MQTT 3.1.1 with a will on a filter ends the connection", async () => {
    const { port } = await start();
    const client = await packetClient(port);
    client.send(connect(4, { flags: 6, rest: will("a/#") }));
    await client.closed;
    expect(client.received).toEqual([]);
  });
});

test("a client that may not retain messages cannot retain its last will", async () => {
  const { broker, client, port } = await start({
    guard: {
      signIn: async () => ({ userName: "u" }),
      accessOf: () => ({
        mayPublish: () => true,
        mayRetain: () => false,
        maySubscribe: () => true,
        mayReceive: () => true,
      }),
    },
  });
  const subscriber = await client();
  const received = receivedBy(subscriber);
  await subscriber.subscribeAsync("wills/#", { qos: 1 });
  for (const [clientId, flags] of [
    ["a", 0x26],
    ["b", 0x06],
  ] as const) {
    const device = await packetClient(port);
    device.send(
      connect(4, { clientId, flags, rest: Buffer.concat([string(`wills/${clientId}`), string("gone")]) }),
    );
    await device.first("connack");
    device.socket.destroy();
  }
  await expect.poll(() => received.map(({ topic }) => topic)).toContain("wills/b");
  expect(received.map(({ topic }) => topic)).toEqual(["wills/b"]);
  expect(broker.retained.all(0)).toEqual([]);
});
