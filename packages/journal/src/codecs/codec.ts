/** One serializer: how payloads of its id are written and read. */
export interface Codec {
  /** The serializer's id, 32 bits. */
  readonly id: number;
  /** Only payloads of this manifest; all that no other codec of the id takes if it is not given. */
  readonly manifest?: string | undefined;
  /** The bytes of a payload. Throw if there are none. A codec without it can only read. */
  readonly encode?: ((payload: unknown, manifest: string) => Uint8Array) | undefined;
  /** The payload of the bytes. Throw if they are not of this serializer. */
  readonly decode: (bytes: Uint8Array, manifest: string) => unknown;
}
