import type { CallOptions } from "@tablekeep/core";
import { untilAborted } from "../thread/message-thread.ts";
import type { DecodedMessage, Decoder } from "./open-decoder.ts";

/** Limits of a cache of decoded messages. */
export interface DecodeCacheOptions {
  /** Bytes of all decoded messages together. A larger message is not cached. @default 67,108,864 */
  readonly maxBytes?: number;
  /** Maximum number of messages. @default 8 */
  readonly maxMessages?: number;
}

/** The last few decoded messages by id. A page that shows a message requests it once for each image. */
export interface DecodeCache {
  /**
   * Returns the decoded message of this id. `load` reads its bytes if it is not cached; concurrent calls for the same id
   * share one load. Check that the message still exists before the call: a deleted one may still be cached.
   *
   * @example
   * const { html } = await cache.get(id, () => loadBytes(id), { signal });
   */
  get(
    id: string,
    load: () => Promise<Uint8Array>,
    options?: Pick<CallOptions, "signal">,
  ): Promise<DecodedMessage>;
}

/**
 * Opens a cache over a decoder. The bytes of an id never change, so nothing becomes stale.
 *
 * @example
 * const cache = openDecodeCache(openDecoder());
 * const { html } = await cache.get(id, async () => (await mail.load(id))?.raw ?? new Uint8Array());
 */
export function openDecodeCache(decoder: Decoder, options: DecodeCacheOptions = {}): DecodeCache {
  const { maxBytes = 67_108_864, maxMessages = 8 } = options;
  const kept = new Map<string, { readonly message: DecodedMessage; readonly bytes: number }>();
  const inFlight = new Map<string, Promise<DecodedMessage>>();
  let bytes = 0;
  const drop = (id: string) => {
    bytes -= kept.get(id)?.bytes ?? 0;
    kept.delete(id);
  };
  const keep = (id: string, message: DecodedMessage) => {
    const size = bytesOf(message);
    if (size > maxBytes) return;
    drop(id);
    kept.set(id, { message, bytes: size });
    bytes += size;
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes && kept.size <= maxMessages) break;
      drop(oldest);
    }
  };
  const decode = (id: string, load: () => Promise<Uint8Array>): Promise<DecodedMessage> => {
    const decoding = load().then(async (raw) => {
      const message = await decoder.decode(raw);
      keep(id, message);
      return message;
    });
    inFlight.set(id, decoding);
    const end = () => void inFlight.delete(id);
    decoding.then(end, end);
    return decoding;
  };
  return {
    async get(id, load, { signal } = {}) {
      signal?.throwIfAborted();
      const found = kept.get(id);
      if (found !== undefined) {
        // The least recently used one is dropped first.
        kept.delete(id);
        kept.set(id, found);
        return found.message;
      }
      const decoding = inFlight.get(id) ?? decode(id, load);
      return signal === undefined ? decoding : untilAborted(decoding, signal);
    },
  };
}

/** Approximate bytes of memory of a message. */
function bytesOf({ text, html, headers, attachments }: DecodedMessage): number {
  let bytes = 2 * (text.length + html.length) + 1000;
  for (const { name, value } of headers) bytes += 2 * (name.length + value.length) + 100;
  for (const { content } of attachments) bytes += content.length + 500;
  return bytes;
}
