import { gunzipSync, inflateSync, type ZlibOptions } from "node:zlib";
import { MalformedBytes } from "./byte-reader.ts";
import { payloadTooLarge } from "./payload-errors.ts";
import { plainBytes } from "./plain-bytes.ts";

/** How far a payload may grow when it is unpacked, and whose it is. */
export interface UnpackLimit {
  readonly serializerId: number;
  /** Bytes. */
  readonly maximum: number;
}

type Unpack = (bytes: Uint8Array, options: ZlibOptions) => Uint8Array;

/** Unpacks gzip, but not more than allowed. */
export function gunzip(bytes: Uint8Array, limit: UnpackLimit): Uint8Array {
  return unpack(gunzipSync, "gzip", bytes, limit);
}

/** Unpacks zlib's format, but not more than allowed. */
export function inflate(bytes: Uint8Array, limit: UnpackLimit): Uint8Array {
  return unpack(inflateSync, "deflate", bytes, limit);
}

/** Unpacks with a function of Node, whose errors carry no type but a code. */
function unpack(using: Unpack, name: string, bytes: Uint8Array, limit: UnpackLimit): Uint8Array {
  try {
    return plainBytes(using(bytes, { maxOutputLength: Math.max(1, limit.maximum) }));
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE")
      throw payloadTooLarge(limit.serializerId, limit.maximum);
    throw new MalformedBytes(`is no ${name} stream`, { cause: error });
  }
}
