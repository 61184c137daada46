import type { Codec } from "./codec.ts";

/** Finds the codec of a serializer id and manifest. */
export class CodecRegistry {
  readonly #byId = new Map<number, { any?: Codec; readonly byManifest: Map<string, Codec> }>();

  /** Adds codecs. One of the same id and manifest takes the place of the one before. */
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
