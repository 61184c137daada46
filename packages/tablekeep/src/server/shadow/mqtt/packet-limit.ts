import { Transform } from "node:stream";

/** MQTT: the length of a packet is said in at most four bytes of seven bits. */
const lengthBytes = 4;

/**
 * Passes MQTT through and fails at the first packet above `maxBytes`, before it has come: a parser would keep as much of
 * it as it claims to be.
 */
export function packetLimit(maxBytes: number): Transform {
  /** Bytes of the packet that are still to come; 0 between packets. */
  let rest = 0;
  /** Where in the fixed header we are: 0 is its first byte. */
  let place = 0;
  let length = 0;
  const isHarmless = (chunk: Buffer): boolean => {
    for (let at = 0; at < chunk.length; ) {
      if (rest > 0) {
        const passed = Math.min(rest, chunk.length - at);
        rest -= passed;
        at += passed;
        continue;
      }
      const byte = chunk[at++] ?? 0;
      if (place > 0) {
        length += (byte & 0x7f) * 128 ** (place - 1);
        if (length > maxBytes || place > lengthBytes) return false;
      }
      const isLast = place > 0 && (byte & 0x80) === 0;
      place = isLast ? 0 : place + 1;
      if (!isLast) continue;
      rest = length;
      length = 0;
    }
    return true;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (isHarmless(chunk)) done(null, chunk);
      else done(new Error(`a packet of more than ${maxBytes} bytes`));
    },
  });
}
