import { decodeUtf8, isWellFormed, MalformedBytes, plainBytes } from "./bytes.ts";
import type { Codec } from "./codec.ts";
import { payloadRefused } from "./payload-errors.ts";
import { akkaSerializers as ids } from "./serializer-ids.ts";

/** Akka's serializers of single values, byte for byte as they write to journals: numbers are little-endian there. */
export const akkaScalars: readonly Codec[] = [
  {
    id: ids.null,
    encode: (payload) => bytesIf(payload === null, ids.null, "null", new Uint8Array()),
    decode: (bytes) => {
      exactly(bytes, 0);
      return null;
    },
  },
  rawBytes(ids.bytes),
  rawBytes(ids.byteString),
  {
    id: ids.string,
    encode: (payload) => {
      if (typeof payload !== "string") throw notA(ids.string, "a string");
      if (!isWellFormed(payload))
        throw payloadRefused(ids.string, "payload", "has half a surrogate pair, which UTF-8 cannot encode");
      return Buffer.from(payload);
    },
    decode: decodeUtf8,
  },
  {
    id: ids.long,
    encode: (payload) => {
      if (typeof payload !== "bigint") throw notA(ids.long, "a bigint");
      if (BigInt.asIntN(64, payload) !== payload)
        throw payloadRefused(ids.long, "payload", "has more than 64 bits");
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(payload);
      return bytes;
    },
    decode: (bytes) => exactly(bytes, 8).getBigInt64(0, true),
  },
  {
    id: ids.int,
    encode: (payload) => {
      if (!isInt32(payload)) throw notA(ids.int, "a 32-bit integer");
      const bytes = Buffer.alloc(4);
      bytes.writeInt32LE(payload);
      return bytes;
    },
    decode: (bytes) => exactly(bytes, 4).getInt32(0, true),
  },
  {
    id: ids.boolean,
    encode: (payload) =>
      bytesIf(typeof payload === "boolean", ids.boolean, "true or false", Uint8Array.of(payload ? 1 : 0)),
    decode: (bytes) => {
      const value = exactly(bytes, 1).getUint8(0);
      if (value > 1) throw new MalformedBytes(`must be 0 or 1, got ${value}`);
      return value === 1;
    },
  },
];

/** Whether Akka's Int serializer accepts a payload; -0 would lose its sign. */
export function isInt32(payload: unknown): payload is number {
  return typeof payload === "number" && Object.is(payload | 0, payload);
}

/** Byte arrays and ByteStrings: the bytes themselves. */
function rawBytes(id: number): Codec {
  return {
    id,
    encode: (payload) => {
      if (!(payload instanceof Uint8Array)) throw notA(id, "bytes (a Uint8Array)");
      return payload;
    },
    decode: plainBytes,
  };
}

function bytesIf(fits: boolean, id: number, wanted: string, bytes: Uint8Array): Uint8Array {
  if (!fits) throw notA(id, wanted);
  return bytes;
}

function notA(id: number, wanted: string): Error {
  return payloadRefused(id, "payload", `is not ${wanted}, which serializer ${id} requires`);
}

function exactly(bytes: Uint8Array, length: number): DataView {
  if (bytes.length !== length) throw new MalformedBytes(`has ${bytes.length} bytes instead of ${length}`);
  return new DataView(bytes.buffer, bytes.byteOffset, length);
}
