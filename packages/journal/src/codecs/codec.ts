import type { MaybePromise } from "./maybe-promise.ts";

/** One serializer: how payloads of its id are written and read. Both functions may return a promise. */
export interface Codec {
  /** The serializer's id, 32 bits. */
  readonly id: number;
  /** Only payloads of this manifest; without it, all payloads that no other codec of the id handles. */
  readonly manifest?: string;
  /** Encodes a payload. Throw if it cannot be encoded. A codec without it can only read. */
  readonly encode?: (payload: unknown, manifest: string) => MaybePromise<Uint8Array>;
  /** The payload of the bytes, or a promise of it. Throw if they are not of this serializer. */
  readonly decode: (bytes: Uint8Array, manifest: string) => unknown;
}

/** A codec whose `encode` returns no promise. */
export interface SyncCodec extends Codec {
  readonly encode?: (payload: unknown, manifest: string) => Uint8Array;
}

/** A payload as bytes, with its serializer. */
export interface EncodedPayload {
  /** The serializer of the bytes: an id of Akka's built-in serializers, one of ours, or a registered one. */
  readonly serializerId: number;
  /** Additional data for the serializer, often the name of a type; "" if none. */
  readonly manifest: string;
  readonly bytes: Uint8Array;
}

/** Why the payload of an event is no longer available. */
export type Gone = "forgotten" | "expired";

/** What `decode` returns for a payload that was forgotten: the event is read without it, and a snapshot counts as absent. */
export const forgottenPayload: { readonly gone: "forgotten" } = Object.freeze({ gone: "forgotten" });

/** The kind of data that a payload is stored as. */
export type PayloadPart = "event" | "metadata" | "snapshot" | "snapshot-metadata";

/** Where a payload is stored. */
export interface PayloadContext {
  readonly part: PayloadPart;
  readonly persistenceId: string;
  /** Of the event, or of the last event that the snapshot contains. */
  readonly sequenceNr: number;
  /** While encoding: the payload of the event, or the state of the snapshot, that the part belongs to. */
  readonly content?: unknown;
}

/** Turns payloads into bytes and back, whatever their serializer. */
export interface Codecs {
  /**
   * Encodes a payload. `as` names the serializer by id; without it the codecs choose by the payload's type: strings, bytes,
   * bigints, 32-bit integers and booleans as Akka's own serializers write them, all else as JSON. An
   * {@link EncodedPayload} is stored unchanged. Returns a promise only if a codec does.
   */
  encode(
    payload: unknown,
    as?: { readonly serializerId?: number; readonly manifest?: string },
    place?: PayloadContext,
  ): MaybePromise<EncodedPayload>;
  /**
   * The payload, or the {@link EncodedPayload} itself if no codec handles its serializer. Never fails for an unknown one.
   * Returns a promise only if a codec does.
   */
  decode(encoded: EncodedPayload, place?: PayloadContext): unknown;
  /**
   * Decompresses a payload and returns it with its own serializer; returns any other payload unchanged. `decode` does
   * this too.
   */
  unpack(encoded: EncodedPayload): EncodedPayload;
}

/** Codecs whose `encode` returns no promise. */
export interface SyncCodecs extends Codecs {
  encode(
    payload: unknown,
    as?: { readonly serializerId?: number; readonly manifest?: string },
    place?: PayloadContext,
  ): EncodedPayload;
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
