import type { EncodedPayload } from "./encoded-payload.ts";

/** Turns payloads into bytes and back, whatever their serializer. */
export interface Codecs {
  /**
   * Encodes a payload. `as` names the serializer by id; without it the codecs choose by the payload's type: text, bytes,
   * bigints, 32-bit whole numbers and booleans as Akka's own serializers write them, all else as JSON. An
   * {@link EncodedPayload} is taken as it is.
   */
  encode(
    payload: unknown,
    as?: { readonly serializerId?: number | undefined; readonly manifest?: string | undefined },
  ): EncodedPayload;
  /** The payload, or the {@link EncodedPayload} itself if no codec knows its serializer. Never fails for an unknown one. */
  decode(encoded: EncodedPayload): unknown;
  /** What was compressed, with the serializer that wrote it; any other payload itself. `decode` does it too. */
  unpack(encoded: EncodedPayload): EncodedPayload;
}
