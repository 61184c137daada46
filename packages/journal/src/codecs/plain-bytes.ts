/** The same bytes as a plain `Uint8Array`: a port may give Node's `Buffer`, whose methods differ. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.constructor === Uint8Array) return bytes;
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
