import type { Duplex } from "node:stream";
import type { Packet } from "mqtt-packet";
import { PacketMeter } from "./packet-meter.ts";
import { checkPacket } from "./packet-rules.ts";
import { type Reason, reason, Violation } from "./reason-codes.ts";
import { strictParser } from "./strict-parser.ts";

/** How packets are read. */
export interface ReadPacketsOptions {
  /** The maximum size of a packet, in bytes. */
  readonly maxBytes: number;
  /** Whether the connection is ending, so that further packets are dropped. */
  readonly isEnding: () => boolean;
}

/**
 * Reads the packets of a client until its stream ends. While the consumer is busy, at most one chunk is read. Rejects with a `Violation`
 * for a packet that is malformed or too large, after the packets before it.
 */
export function readPackets(
  stream: Duplex,
  { maxBytes, isEnding }: ReadPacketsOptions,
): AsyncIterableIterator<Packet, undefined> {
  const meter = new PacketMeter(maxBytes);
  let received: Packet[] = [];
  let at = 0;
  let failure: Violation | undefined;
  let isOver = false;
  let wake: (() => void) | undefined;
  const parser = strictParser()
    .on("packet", (packet) => received.push(packet))
    .on("error", (error: Error) => {
      failure ??= new Violation(codeOf(error), error.message);
    });
  const notify = () => {
    const waiting = wake;
    wake = undefined;
    waiting?.();
  };
  stream.on("data", (chunk: Buffer) => {
    if (isOver || failure !== undefined || isEnding()) return;
    if (meter.accept(chunk)) parser.parse(chunk);
    else failure = new Violation(reason.packetTooLarge, `packet larger than ${maxBytes} bytes`);
    if (received.length === 0 && failure === undefined) return;
    if (wake === undefined) stream.pause();
    notify();
  });
  const onEnd = () => {
    isOver = true;
    notify();
  };
  stream.once("end", onEnd).once("close", onEnd);
  const packets: AsyncIterableIterator<Packet, undefined> = {
    next() {
      const packet = received[at++];
      if (packet !== undefined) return checked(packet);
      [received, at] = [[], 0];
      if (failure !== undefined) return Promise.reject(failure);
      if (isOver) return Promise.resolve({ value: undefined, done: true });
      const more = new Promise<void>((resolve) => {
        wake = resolve;
      });
      stream.resume();
      return more.then(() => packets.next());
    },
    return() {
      isOver = true;
      // Unread bytes would reset the connection, and the client would lose what it has not read yet.
      stream.resume();
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]: () => packets,
  };
  return packets;
}

/** A packet that violates a rule ends reading. */
async function checked(packet: Packet): Promise<IteratorResult<Packet, undefined>> {
  checkPacket(packet);
  return { value: packet, done: false };
}

/** The reason code for an error of the parser. */
function codeOf({ message }: Error): Reason {
  return message === "Invalid protocol version" ? reason.unsupportedVersion : reason.malformedPacket;
}
