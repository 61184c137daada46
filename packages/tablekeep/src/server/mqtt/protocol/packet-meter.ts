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

  /** Reads the next bytes. Returns false once a packet is too large; the connection is then unusable. */
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
