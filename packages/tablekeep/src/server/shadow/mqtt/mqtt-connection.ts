import type { Duplex } from "node:stream";
import type { CancelTimer, Clock } from "@tablekeep/core";
import { generate, parser as newParser, type Packet } from "mqtt-packet";
import type { MqttLimits } from "./mqtt-limits.ts";

/** MQTT: the length of a packet has at most four bytes of seven bits. */
const lengthBytes = 4;

/**
 * Follows the lengths of MQTT packets in a stream of bytes. A parser buffers as much of a packet as its length field
 * claims; this detects a packet that is too large as soon as its length is known.
 */
export class PacketMeter {
  readonly #maxBytes: number;
  /** Bytes of the current packet that are not received yet; 0 between packets. */
  #rest = 0;
  /** Bytes of the fixed header that have been read. */
  #headerBytes = 0;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Reads the next bytes. Returns false once a packet is too large; the connection cannot be used any further. */
  accept(chunk: Uint8Array): boolean {
    for (let at = 0; at < chunk.length; ) {
      if (this.#rest > 0) {
        const passed = Math.min(this.#rest, chunk.length - at);
        this.#rest -= passed;
        at += passed;
        continue;
      }
      const byte = chunk[at++] ?? 0;
      if (this.#headerBytes > 0) {
        this.#length += (byte & 0x7f) * 128 ** (this.#headerBytes - 1);
        if (this.#length > this.#maxBytes || this.#headerBytes > lengthBytes) return false;
      }
      const isLast = this.#headerBytes > 0 && (byte & 0x80) === 0;
      this.#headerBytes = isLast ? 0 : this.#headerBytes + 1;
      if (!isLast) continue;
      this.#rest = this.#length;
      this.#length = 0;
    }
    return true;
  }
}

/** The bytes that wait for all clients together. */
export class UnsentBytes {
  readonly #behind = new Map<MqttConnection, number>();
  #total = 0;

  /** Records the bytes that wait for one client. Disconnects the client with the most if the total exceeds `maximum`. */
  note(connection: MqttConnection, bytes: number, maximum: number): void {
    this.#total += bytes - (this.#behind.get(connection) ?? 0);
    if (bytes === 0) this.#behind.delete(connection);
    else this.#behind.set(connection, bytes);
    if (this.#total <= maximum) return;
    const [most, size] = [...this.#behind].reduce((one, other) => (other[1] > one[1] ? other : one));
    this.#total -= size;
    this.#behind.delete(most);
    most.cut("too many bytes wait for all clients together, and most of them for this one");
  }
}

/** Dependencies of a connection. */
export interface MqttConnectionOptions {
  readonly stream: Duplex;
  readonly clock: Clock;
  readonly limits: MqttLimits;
  readonly unsent: UnsentBytes;
}

/**
 * MQTT packets over one stream. What is written to it is bounded in bytes and in time: a client that does not read is
 * disconnected, and never delays other clients.
 */
export class MqttConnection {
  readonly #stream: Duplex;
  readonly #clock: Clock;
  readonly #limits: MqttLimits;
  readonly #unsent: UnsentBytes;
  /** Bytes that were handed to the stream so far. */
  #written = 0;
  #cancelDrainCheck: CancelTimer | undefined;
  #cutReason: string | undefined;

  constructor({ stream, clock, limits, unsent }: MqttConnectionOptions) {
    this.#stream = stream;
    this.#clock = clock;
    this.#limits = limits;
    this.#unsent = unsent;
    // The reader of the packets sees the end of the stream.
    stream.on("error", () => {});
    stream.on("drain", () => this.#noteUnsent());
    stream.once("close", () => {
      this.#cancelDrainCheck?.();
      this.#unsent.note(this, 0, limits.allUnsentBytes);
    });
  }

  /** Why the server ended the connection; undefined if it did not. */
  get cutReason(): string | undefined {
    return this.#cutReason;
  }

  /** The packets of the client, until the connection ends. Nothing is read ahead of the consumer but one chunk. */
  async *packets(): AsyncGenerator<Packet, void> {
    const parser = newParser();
    const meter = new PacketMeter(this.#limits.packetBytes);
    const received: Packet[] = [];
    let failure: Error | undefined;
    parser.on("packet", (packet) => received.push(packet));
    parser.on("error", (error: Error) => {
      failure = error;
    });
    for await (const chunk of this.#stream as AsyncIterable<Buffer>) {
      if (!meter.accept(chunk)) throw new Error(`packet larger than ${this.#limits.packetBytes} bytes`);
      parser.parse(chunk);
      yield* received.splice(0);
      if (failure !== undefined) throw failure;
    }
  }

  /** Writes a packet. Returns at once, however slowly the client reads. */
  send(packet: Packet, protocolVersion = 4): void {
    if (!this.#stream.writable) return;
    const bytes = generate(packet, { protocolVersion });
    this.#written += bytes.length;
    this.#stream.write(bytes);
    this.#noteUnsent();
  }

  /** Resolves once the client has read everything, or is gone. Nothing is read from a client with unread responses. */
  async drained(): Promise<void> {
    if (!this.#stream.writableNeedDrain || this.#stream.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#stream.off("drain", done).off("close", done);
        resolve();
      };
      this.#stream.once("drain", done).once("close", done);
    });
  }

  /** Sends what was written so far, then ends the connection. */
  end(): void {
    this.#stream.end(() => this.#stream.destroy());
  }

  /** Ends the connection at once. */
  cut(reason: string): void {
    if (this.#stream.destroyed) return;
    this.#cutReason ??= reason;
    this.#stream.destroy();
  }

  #noteUnsent(): void {
    const { writableLength } = this.#stream;
    const { unsentBytes, allUnsentBytes } = this.#limits;
    if (writableLength > unsentBytes)
      this.cut(`${writableLength} bytes wait for a client that does not read them`);
    if (this.#stream.destroyed) return;
    if (writableLength === 0) {
      this.#cancelDrainCheck?.();
      this.#cancelDrainCheck = undefined;
    } else this.#cancelDrainCheck ??= this.#checkDrain();
    this.#unsent.note(this, writableLength, allUnsentBytes);
  }

  /** Checks after a while whether the client has read anything. */
  #checkDrain(): CancelTimer {
    const before = this.#passedOn();
    const check = () => {
      this.#cancelDrainCheck = undefined;
      if (this.#passedOn() === before) this.cut(`the client has read nothing for ${this.#limits.drainMs} ms`);
      else this.#noteUnsent();
    };
    return this.#clock.after(this.#limits.drainMs, check, { background: true });
  }

  #passedOn(): number {
    return this.#written - this.#stream.writableLength;
  }
}
