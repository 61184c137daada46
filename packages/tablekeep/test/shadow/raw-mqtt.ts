import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A message with its packet id: QoS 1. */
interface RawMessage {
  readonly messageId: number;
  readonly topic: string;
  readonly payload: string;
  /** Marks it as sent again. @default false */
  readonly dup?: boolean;
}

/** A connection whose packets are written by hand, for what no client does on demand. It only publishes. */
export interface RawMqtt {
  /** Sends a message and does not wait. */
  send(message: RawMessage): void;
  /** Resolves with the packet id of the next acknowledged message. */
  acknowledged(): Promise<number>;
  /** Breaks the connection without DISCONNECT, as a network failure does. */
  cut(): Promise<void>;
}

/** CONNACK and PUBACK, all that comes to one who only publishes, have four bytes each. */
const answerBytes = 4;

export async function rawMqtt(port: number, clientId: string): Promise<RawMqtt> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const answers = answersOf(socket);
  const level311 = Buffer.from([4]);
  const cleanAndNoKeepAlive = Buffer.from([2, 0, 0]);
  socket.write(packet(0x10, text("MQTT"), level311, cleanAndNoKeepAlive, text(clientId)));
  const { value: connack } = await answers.next();
  if (connack?.readUInt32BE() !== 0x20_02_00_00) throw new Error("the connection was rejected");
  return {
    send({ messageId, topic, payload, dup = false }) {
      const number = Buffer.alloc(2);
      number.writeUInt16BE(messageId);
      socket.write(packet(dup ? 0x3a : 0x32, text(topic), number, Buffer.from(payload)));
    },
    async acknowledged() {
      const { value: puback } = await answers.next();
      if (puback?.readUInt16BE() !== 0x40_02) throw new Error("that was no PUBACK");
      return puback.readUInt16BE(2);
    },
    async cut() {
      const closed = once(socket, "close");
      socket.destroy();
      await closed;
    },
  };
}

async function* answersOf(socket: Socket): AsyncGenerator<Buffer, undefined> {
  let left = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    left = Buffer.concat([left, chunk]);
    for (; left.length >= answerBytes; left = left.subarray(answerBytes)) yield left.subarray(0, answerBytes);
  }
  return undefined;
}

/** Text with its length in front. */
function text(value: string): Buffer {
  const bytes = Buffer.from(`\0\0${value}`);
  bytes.writeUInt16BE(bytes.length - 2);
  return bytes;
}

function packet(head: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length > 16_383) throw new Error("two bytes do not hold this length");
  const length = body.length < 128 ? [body.length] : [(body.length & 0x7f) | 0x80, body.length >> 7];
  return Buffer.concat([Buffer.from([head, ...length]), body]);
}
