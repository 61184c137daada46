import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { generate, type IConnectPacket, parser as newParser, type Packet } from "mqtt-packet";
import { expect, onTestFinished } from "vitest";

/** An MQTT client that sends given packets, and reads only on request. */
export interface PacketClient {
  readonly socket: Socket;
  /** Every packet that has come so far. */
  readonly received: readonly Packet[];
  send(...packets: readonly (Packet | Buffer)[]): void;
  /** Resolves with the first packet of this kind, at once if it has come. */
  first<Cmd extends Packet["cmd"]>(cmd: Cmd): Promise<Packet & { cmd: Cmd }>;
  /** Sends PINGREQ and resolves with its response: everything before it has been read. */
  ping(): Promise<void>;
  /** Resolves once the server has ended the connection. */
  readonly closed: Promise<void>;
}

/** Resolves once `isSo` holds. What never does fails by the timeout of its test. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Opens a TCP connection to an MQTT listener, and sends nothing. */
export async function packetClient(port: number, protocolVersion = 4): Promise<PacketClient> {
  const socket = connect(port, "127.0.0.1");
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  const received: Packet[] = [];
  const parser = newParser({ protocolVersion }).on("packet", (packet) => void received.push(packet));
  socket.on("data", (chunk) => parser.parse(chunk));
  await once(socket, "connect");
  const count = (cmd: string) => received.filter((packet) => packet.cmd === cmd).length;
  const client: PacketClient = {
    socket,
    received,
    closed,
    send(...packets) {
      for (const packet of packets)
        socket.write(Buffer.isBuffer(packet) ? packet : generate(packet, { protocolVersion }));
    },
    async first(cmd) {
      await until(() => count(cmd) > 0);
      return received.find((packet) => packet.cmd === cmd) as Packet & { cmd: typeof cmd };
    },
    async ping() {
      const before = count("pingresp");
      client.send({ cmd: "pingreq" });
      await until(() => count("pingresp") > before);
    },
  };
  return client;
}

/** A client that has connected, and subscribed where filters are given. */
export async function connectedClient(
  port: number,
  connect: Partial<IConnectPacket> & { readonly filters?: readonly string[]; readonly qos?: 0 | 1 } = {},
): Promise<PacketClient> {
  const client = await packetClient(port);
  const { filters = [], qos = 1, ...rest } = connect;
  client.send({ cmd: "connect", clientId: "", clean: true, keepalive: 0, ...rest });
  expect(await client.first("connack")).toMatchObject({ returnCode: 0 });
  if (filters.length > 0) {
    const subscriptions = filters.map((topic) => ({ topic, qos }));
    client.send({ cmd: "subscribe", messageId: 1, subscriptions });
    await client.first("suback");
  }
  return client;
}

/** A PUBLISH of QoS 1, or of QoS 0 if it has no id. */
export function publish(topic: string, payload: string | Buffer, messageId?: number): Packet {
  const shared = { cmd: "publish", topic, payload, dup: false, retain: false } as const;
  return messageId === undefined ? { ...shared, qos: 0 } : { ...shared, qos: 1, messageId };
}

/** The payloads of the messages that a client has received. */
export function payloadsOf({ received }: PacketClient): string[] {
  return received.flatMap((packet) => (packet.cmd === "publish" ? [packet.payload.toString()] : []));
}

/** How many messages a client has received. */
export function messagesOf({ received }: PacketClient): number {
  return received.filter(({ cmd }) => cmd === "publish").length;
}
