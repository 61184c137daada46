/** The signatures of one partition, newest message first. */
export interface SignaturePage {
  readonly ids: readonly string[];
  /** One for each id; undefined if the message always has to be read. */
  readonly all: readonly (Uint8Array | undefined)[];
  /** Only where it differs from `all`. */
  readonly text: readonly (Uint8Array | undefined)[];
  /** Bytes of all signatures. */
  readonly bytes: number;
}

/** Signatures of hours that have ended, as long as there is room. */
export interface SignatureCache {
  get(partition: string, generation: number): SignaturePage | undefined;
  put(partition: string, generation: number, page: SignaturePage): void;
}

/** Keeps at most `maxBytes`; what was not used for the longest time goes first. */
export function signatureCache(maxBytes: number): SignatureCache {
  const pages = new Map<string, { readonly generation: number; readonly page: SignaturePage }>();
  let bytes = 0;
  const drop = (partition: string) => {
    bytes -= pages.get(partition)?.page.bytes ?? 0;
    pages.delete(partition);
  };
  return {
    get(partition, generation) {
      const found = pages.get(partition);
      if (found === undefined || found.generation !== generation) return undefined;
      pages.delete(partition);
      pages.set(partition, found);
      return found.page;
    },
    put(partition, generation, page) {
      drop(partition);
      pages.set(partition, { generation, page });
      bytes += page.bytes;
      for (const oldest of pages.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}
