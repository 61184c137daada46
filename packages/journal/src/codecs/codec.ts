/** One serializer: how payloads of its id are written and read. */
export interface Codec {
  /** The serializer's id, 32 bits. */
  readonly id: number;
  /** Only payloads of this manifest; without it, all payloads that no other codec of the id handles. */
  readonly manifest?: string;
  /** The bytes of a payload. Throw if there are none. A codec without it can only read. */
  readonly encode?: (payload: unknown, manifest: string) => Uint8Array;
  /** The payload of the bytes. Throw if they are not of this serializer. */
  readonly decode: (bytes: Uint8Array, manifest: string) => unknown;
}

/** A payload as bytes, with its serializer. */
export interface EncodedPayload {
  /** The serializer of the bytes: an id of Akka's built-in serializers, one of ours, or a registered one. */
  readonly serializerId: number;
  /** Additional data for the serializer, often the name of a type; "" if none. */
  readonly manifest: string;
  readonly bytes: Uint8Array;
}

/** Turns payloads into bytes and back, whatever their serializer. */
export interface Codecs {
  /**
   * Encodes a payload. `as` names the serializer by id; without it the codecs choose by the payload's type: text, bytes,
   * bigints, 32-bit whole numbers and booleans as Akka's own serializers write them, all else as JSON. An
   * {@link EncodedPayload} is taken as it is.
   */
  encode(
    payload: unknown,
    as?: { readonly serializerId?: number; readonly manifest?: string },
  ): EncodedPayload;
  /** The payload, or the {@link EncodedPayload} itself if no codec handles its serializer. Never fails for an unknown one. */
  decode(encoded: EncodedPayload): unknown;
  /** What was compressed, with the serializer that wrote it; any other payload itself. `decode` does it too. */
  unpack(encoded: EncodedPayload): EncodedPayload;
}

/** Finds the codec of a serializer id and manifest. */
export class CodecRegistry {
  readonly #byId = new Map<number, { any?: Codec; readonly byManifest: Map<string, Codec> }>();

  /** Adds codecs. A codec with the same id and manifest replaces the earlier one. */
  add(codecs: readonly Codec[]): void {
    for (const codec of codecs) {
      const place = this.#byId.get(codec.id) ?? { byManifest: new Map<string, Codec>() };
      this.#byId.set(codec.id, place);
      if (codec.manifest === undefined) place.any = codec;
      else place.byManifest.set(codec.manifest, codec);
    }
  }

  find(serializerId: number, manifest: string): Codec | undefined {
    const place = this.#byId.get(serializerId);
    return place?.byManifest.get(manifest) ?? place?.any;
  }
}
