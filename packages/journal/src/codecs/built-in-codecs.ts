import { akkaSerializers as akka, ownSerializers as own } from "./serializer-ids.ts";

/** A description of a built-in serializer. */
export interface BuiltInCodec {
  readonly id: number;
  /** The name of its payloads in Akka. */
  readonly name: string;
  /** The type of its payloads here. */
  readonly payload: string;
  /** Whether it is written here too. */
  readonly written: boolean;
  /** The Akka versions that read payloads with this id by default. */
  readonly akkaReads: "all" | "up to 2.5" | "since 2.6" | "since 2.6, if it has the class" | "no";
}

const since26 = { written: true, akkaReads: "since 2.6" } as const;
const jackson = { payload: "plain data", akkaReads: "since 2.6, if it has the class" } as const;
const ours = { written: true, akkaReads: "no" } as const;

/** Every serializer that needs no custom codec, as listed in `docs/reference/codecs.md`. */
export const builtInCodecs: readonly BuiltInCodec[] = [
  { id: akka.null, name: "null", payload: "null", written: true, akkaReads: "no" },
  {
    id: akka.java,
    name: "Java serialization",
    payload: "strings, byte arrays and boxed values; all else stays bytes",
    written: true,
    akkaReads: "up to 2.5",
  },
  { id: akka.bytes, name: "byte[]", payload: "Uint8Array", written: true, akkaReads: "all" },
  { id: akka.long, name: "Long", payload: "bigint", ...since26 },
  { id: akka.int, name: "Int", payload: "number, whole, 32 bits", ...since26 },
  { id: akka.string, name: "String", payload: "string", ...since26 },
  { id: akka.byteString, name: "ByteString", payload: "Uint8Array", ...since26 },
  { id: akka.jacksonJson, name: "Jackson JSON", written: true, ...jackson },
  { id: akka.jacksonLegacy, name: "Jackson JSON of Akka 2.6.4", written: false, ...jackson },
  { id: akka.jacksonCbor, name: "Jackson CBOR", written: false, ...jackson },
  { id: akka.boolean, name: "Boolean", payload: "boolean", ...since26 },
  { id: own.json, name: "JSON of Tablekeep", payload: "plain data", ...ours },
  { id: own.compressed, name: "compressed", payload: "that of another serializer", ...ours },
  {
    id: own.chunked,
    name: "large snapshot",
    payload: "that of another serializer, in several items",
    ...ours,
  },
  {
    id: own.encrypted,
    name: "encrypted",
    payload: "that of another serializer, if opened with its keys",
    ...ours,
  },
  { id: own.expired, name: "expired", payload: "none: it was removed", ...ours },
];
