import { akkaSerializers as akka, ownSerializers as own } from "./serializer-ids.ts";

/** What is known of a built-in serializer. */
export interface BuiltInCodec {
  readonly id: number;
  /** What its payloads are called where they come from. */
  readonly name: string;
  /** What its payloads are here. */
  readonly payload: string;
  /** Whether it is written here too. */
  readonly written: boolean;
  /** Whether Akka reads what is written under this id. */
  readonly akkaReads: "yes" | "if it has the class" | "no";
}

const yes = { written: true, akkaReads: "yes" } as const;
const asWrittenByAkka = { written: false, akkaReads: "if it has the class" } as const;
const ours = { written: true, akkaReads: "no" } as const;

/** Every serializer that needs no codec of yours. `docs/reference/codecs.md` lists the same. */
export const builtInCodecs: readonly BuiltInCodec[] = [
  { id: akka.null, name: "null", payload: "null", ...yes },
  {
    id: akka.java,
    name: "Java serialization",
    payload: "strings and boxed values; all else stays bytes",
    ...asWrittenByAkka,
  },
  { id: akka.bytes, name: "byte[]", payload: "Uint8Array", ...yes },
  { id: akka.long, name: "Long", payload: "bigint", ...yes },
  { id: akka.int, name: "Int", payload: "number, whole, 32 bits", ...yes },
  { id: akka.string, name: "String", payload: "string", ...yes },
  { id: akka.byteString, name: "ByteString", payload: "Uint8Array", ...yes },
  {
    id: akka.jacksonJson,
    name: "Jackson JSON",
    payload: "plain data",
    written: true,
    akkaReads: "if it has the class",
  },
  { id: akka.jacksonLegacy, name: "Jackson JSON of Akka 2.6.4", payload: "plain data", ...asWrittenByAkka },
  { id: akka.jacksonCbor, name: "Jackson CBOR", payload: "plain data", ...asWrittenByAkka },
  { id: akka.boolean, name: "Boolean", payload: "boolean", ...yes },
  { id: own.json, name: "JSON of Tablekeep", payload: "plain data", ...ours },
  { id: own.compressed, name: "compressed", payload: "that of another serializer", ...ours },
  {
    id: own.chunked,
    name: "large snapshot",
    payload: "that of another serializer, in several items",
    ...ours,
  },
];
