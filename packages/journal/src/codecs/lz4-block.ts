import { ByteReader, MalformedBytes } from "./bytes.ts";

/** One byte of an LZ4 block expands to at most this many. */
const maxPerByte = 255;

/** Unpacks an LZ4 block that has `length` bytes when it is unpacked. */
export function decodeLz4Block(block: Uint8Array, length: number): Uint8Array {
  // Before memory is allocated for missing data.
  if (length > block.length * maxPerByte) throw new MalformedBytes("is an LZ4 block with a wrong length");
  const reader = new ByteReader(block);
  const output = new Uint8Array(length);
  let at = 0;
  const checkSpace = (size: number) => {
    if (size > length - at) throw new MalformedBytes("is an LZ4 block that is longer than declared");
  };
  while (reader.remaining > 0) {
    const token = reader.uint8();
    const literals = runLength(reader, token >> 4);
    checkSpace(literals);
    output.set(reader.take(literals), at);
    at += literals;
    // The last sequence is literals only.
    if (reader.remaining === 0) break;
    const distance = reader.uint8() | (reader.uint8() << 8);
    if (distance === 0 || distance > at)
      throw new MalformedBytes("is an LZ4 block with an invalid back-reference");
    const match = runLength(reader, token & 15) + 4;
    checkSpace(match);
    // Byte by byte: a match may run into what it writes.
    for (const end = at + match; at < end; at++) output[at] = output[at - distance] ?? 0;
  }
  if (at !== length) throw new MalformedBytes("is an LZ4 block that is shorter than declared");
  return output;
}

function runLength(reader: ByteReader, nibble: number): number {
  let length = nibble;
  if (nibble < 15) return length;
  for (;;) {
    const more = reader.uint8();
    length += more;
    if (more !== 255) return length;
  }
}
