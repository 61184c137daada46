import type { Duplex } from "node:stream";
import type { CancelTimer, Clock } from "@tablekeep/core";
import { generate, parser as newParser, type Packet } from "mqtt-packet";
import type { MqttLimits } from "./mqtt-limits.ts";
import { type Reason, reason, Violation } from "./reason-codes.ts";

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

/** Milliseconds that a client of MQTT 5 has to read why it is disconnected. */
const lingerMs = 2_000;

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
  /** The version of MQTT that the client speaks, from its CONNECT. */
  protocolVersion = 4;
  /** The largest packet that the client accepts, in bytes. */
  maxPacketBytes: number = Number.POSITIVE_INFINITY;
  /** Bytes that were handed to the stream so far. */
  #written = 0;
  #isEnding = false;
  #cancelDrainCheck: CancelTimer | undefined;
  #cutReason: string | undefined;
  #cutCode: Reason | undefined;

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

  /** The reason code with which the server ended the connection. */
  get cutCode(): Reason | undefined {
    return this.#cutCode;
  }

  /** Whether nothing more is read from the client. */
  get isEnding(): boolean {
    return this.#isEnding || this.#stream.destroyed;
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
    // A client of MQTT 5 is told why its connection ends, so leaving the loop must not destroy the stream.
    for await (const chunk of this.#stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (this.isEnding) continue;
      if (!meter.accept(chunk)) {
        const message = `packet larger than ${this.#limits.packetBytes} bytes`;
        throw new Violation(reason.packetTooLarge, message);
      }
      parser.parse(chunk);
      yield* received.splice(0);
      if (failure !== undefined) throw new Violation(reason.malformedPacket, failure.message);
    }
  }

  /**
   * Writes a packet. Returns at once, however slowly the client reads; false if the packet is larger than the client
   * accepts, and was not written.
   */
  send(packet: Packet): boolean {
    if (!this.#stream.writable) return true;
    const bytes = generate(packet, { protocolVersion: this.protocolVersion });
    if (bytes.length > this.maxPacketBytes) return false;
    this.#written += bytes.length;
    this.#stream.write(bytes);
    this.#noteUnsent();
    return true;
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
    this.#isEnding = true;
    this.#stream.end(() => this.#stream.destroy());
  }

  /** Ends the connection at once. With a code, a client of MQTT 5 has some time to read it in a DISCONNECT. */
  cut(why: string, code?: Reason): void {
    if (this.#stream.destroyed) return;
    if (this.#cutReason === undefined) this.#cutCode = code;
    this.#cutReason ??= why;
    if (this.protocolVersion !== 5 || code === undefined || !this.#stream.writable) {
      this.#stream.destroy();
      return;
    }
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.send({ cmd: "disconnect", reasonCode: code, properties: { reasonString: why } });
    // Unread bytes would reset the connection, and with it what the client has not read yet.
    this.#stream.resume();
    this.#stream.end();
    const cancel = this.#clock.after(lingerMs, () => this.#stream.destroy(), { background: true });
    this.#stream.once("close", cancel);
  }

  /** Releases the stream once nothing reads from it any more. */
  close(): void {
    if (!this.#isEnding) this.#stream.destroy();
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
