import type { Duplex } from "node:stream";
import type { CancelTimer, Clock } from "@tablekeep/core";
import { generate, type Packet } from "mqtt-packet";
import type { MqttLimits } from "./mqtt-limits.ts";
import { readPackets } from "./read-packets.ts";
import type { Reason } from "./reason-codes.ts";

/** The bytes that wait for all clients in total. */
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
    most.cut("too many bytes are queued for all clients together, most of them for this one");
  }
}

/** The number of bytes written at once. */
const maxCorkedBytes = 65_536;

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
 * MQTT packets over one stream. Unread output is bounded in bytes and in time: a client that does not read is
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

  /** The packets of the client, until the connection ends. At most one chunk is read ahead of the consumer. */
  packets(): AsyncIterableIterator<Packet, undefined> {
    const { packetBytes: maxBytes } = this.#limits;
    return readPackets(this.#stream, { maxBytes, isEnding: () => this.isEnding });
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
    // Packets that follow each other are written together.
    if (this.#stream.writableCorked === 0) {
      this.#stream.cork();
      process.nextTick(() => this.flush());
    }
    this.#stream.write(bytes);
    if (this.#stream.writableLength > maxCorkedBytes) this.flush();
    return true;
  }

  /** Writes the pending packets now, instead of at the end of this turn of the event loop. */
  flush(): void {
    if (this.#stream.destroyed) return;
    this.#stream.uncork();
    this.#noteUnsent();
  }

  /** Resolves once the client has read everything or disconnected; undefined if nothing is unread. Nothing is read from a client with unread responses. */
  drained(): Promise<void> | undefined {
    if (!this.#stream.writableNeedDrain || this.#stream.destroyed) return undefined;
    return new Promise<void>((resolve) => {
      const done = () => {
        this.#stream.off("drain", done).off("close", done);
        resolve();
      };
      this.#stream.once("drain", done).once("close", done);
    });
  }

  /** Sends the pending packets, then ends the connection. */
  end(): void {
    this.#isEnding = true;
    this.#stream.end(() => this.#stream.destroy());
  }

  /** Ends the connection at once. With a code, a client of MQTT 5 has some time to read it in a DISCONNECT. */
  cut(why: string, code?: Reason): void {
    if (this.#stream.destroyed) return;
    if (this.#cutReason === undefined) this.#cutCode = code;
    this.#cutReason ??= why;
    this.#stream.uncork();
    if (this.protocolVersion !== 5 || code === undefined || !this.#stream.writable) {
      this.#stream.destroy();
      return;
    }
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.send({ cmd: "disconnect", reasonCode: code, properties: { reasonString: why } });
    // Unread bytes would reset the connection, and the client would lose what it has not read yet.
    this.#stream.resume();
    this.#stream.end();
    const cancel = this.#clock.after(lingerMs, () => this.#stream.destroy(), { background: true });
    this.#stream.once("close", cancel);
  }

  /** Releases the stream once nothing reads from it. */
  close(): void {
    if (this.#isEnding) return;
    this.#stream.uncork();
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
