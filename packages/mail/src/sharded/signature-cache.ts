import { pageBytes, type SignaturePage } from "./signature-page.ts";

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
    const dropped = pages.get(partition);
    if (dropped !== undefined) bytes -= pageBytes(dropped.page);
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
      bytes += pageBytes(page);
      for (const oldest of pages.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}
