import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Clock, withDeadline } from "@tablekeep/core";
import { generate, type IConnackPacket, parser as newParser, type Packet } from "mqtt-packet";

/** An MQTT connection of a device. */
export interface DeviceLink {
  send(packet: Packet): void;
  /** Ends the connection without DISCONNECT, as a lost network does. */
  cut(): void;
  /** Sends what was written so far, then ends the connection. */
  end(): void;
}

/** How to connect. */
export interface LinkOptions {
  /** `mqtt://host:port` or `mqtts://host:port`, with a user and a password if the server requires them. */
  readonly url: URL;
  readonly clientId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onPacket: (packet: Packet) => void;
  /** Called once when an open connection ends. */
  readonly onEnd: () => void;
}

const protocolVersion = 5;
const connectMs = 30_000;
/** Seconds that the session outlives a lost connection. */
const sessionSeconds = 300;

/** Connects a device to its session. Rejects if the server does not accept it in time. */
export async function openLink(options: LinkOptions): Promise<DeviceLink> {
  const { url, clientId, clock, signal, onPacket, onEnd } = options;
  const socket = socketTo(url);
  const parser = newParser({ protocolVersion });
  const send = (packet: Packet) => {
    if (socket.writable) socket.write(generate(packet, { protocolVersion }));
  };
  let accept: ((packet: IConnackPacket) => void) | undefined;
  parser.on("packet", (packet) => {
    if (packet.cmd === "connack") accept?.(packet);
    else onPacket(packet);
  });
  parser.on("error", () => socket.destroy());
  socket.on("data", (chunk) => parser.parse(chunk));
  const accepted = new Promise<IConnackPacket>((resolve, reject) => {
    accept = resolve;
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed the connection")));
  });
  // Nothing waits for it if the signal is aborted already.
  accepted.catch(() => undefined);
  send({
    cmd: "connect",
    clientId,
    clean: false,
    keepalive: 0,
    protocolVersion,
    properties: { sessionExpiryInterval: sessionSeconds },
    ...(url.username !== "" && { username: decodeURIComponent(url.username) }),
    ...(url.password !== "" && { password: Buffer.from(decodeURIComponent(url.password)) }),
  });
  try {
    const { reasonCode = 0 } = await withDeadline(() => accepted, { clock, ms: connectMs, signal });
    if (reasonCode !== 0) throw new Error(`the server rejected the device with reason code ${reasonCode}`);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.on("error", () => {});
  socket.once("close", onEnd);
  return {
    send,
    cut: () => void socket.destroy(),
    end: () => void socket.end(),
  };
}

function socketTo({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket =
    protocol === "mqtts:"
      ? connectTls({ host, port: Number(port || 8883), servername: host })
      : connectTcp({ host, port: Number(port || 1883) });
  return socket.setNoDelay(true);
}
