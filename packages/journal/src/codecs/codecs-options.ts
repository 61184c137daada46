import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions } from "../errors/journal-error.ts";
import type { AkkaLine } from "./akka-line.ts";
import type { Codec } from "./codec.ts";
import type { CompressionOptions } from "./compression.ts";
import { ownSerializers } from "./serializer-ids.ts";

/** The serializer to write a payload with. */
export interface SerializerChoice {
  readonly serializerId: number;
  /** @default "" */
  readonly manifest?: string;
}

/** Options of `createCodecs`. */
export interface CodecsOptions<OneCodec extends Codec = Codec> {
  /** Your codecs. They take precedence over built-in ones with the same id. @default none */
  readonly codecs?: readonly OneCodec[];
  /** Chooses the serializer of a payload; undefined chooses by the payload's type. @default always undefined */
  readonly choose?: (payload: unknown) => SerializerChoice | undefined;
  /**
   * Chooses by the payload's type only serializers that this Akka reads with its default settings: with `"2.5"` strings, numbers,
   * bigints and booleans are written by Java serialization. @default the serializers of Akka 2.6, and Tablekeep's JSON
   */
  readonly akka?: AkkaLine;
  /** What to do with undefined properties, which JSON would drop. @default "refuse" */
  readonly undefinedProperties?: "refuse" | "omit";
  /** Compress payloads; Akka cannot read them. @default off */
  readonly compression?: CompressionOptions;
  /** Maximum size of a decompressed payload in bytes. @default 67108864 */
  readonly maxPayloadBytes?: number;
}

const checks: OptionChecks<CodecsOptions> = {
  codecs: (value) =>
    Array.isArray(value) ? codecsProblem(value as readonly Codec[]) : "must be an array of codecs",
  choose: optionCheck.callback,
  akka: optionCheck.oneOf("2.5", "2.6"),
  undefinedProperties: optionCheck.oneOf("refuse", "omit"),
  compression: optionCheck.anything,
  maxPayloadBytes: optionCheck.integer(1, 0x7fffffff),
};

const compressionChecks: OptionChecks<CompressionOptions> = {
  minBytes: optionCheck.integer(0),
  level: optionCheck.integer(1, 9),
};

/** Throws `JOURNAL_OPTION_INVALID` for an option that is unknown, or whose value is invalid. */
export function checkCodecsOptions(options: CodecsOptions): void {
  checkOptions(options, checks);
  if (options.compression !== undefined) checkOptions(options.compression, compressionChecks, "compression");
}

function codecsProblem(codecs: readonly Codec[]): string | undefined {
  const seen = new Set<string>();
  const own = new Set<number>(Object.values(ownSerializers));
  for (const { id, manifest, encode, decode } of codecs) {
    if (!Number.isInteger(id) || id !== (id | 0)) return "must have ids that are 32-bit integers";
    if (own.has(id)) return `must not have the id ${id}, which Tablekeep uses itself`;
    if (typeof decode !== "function" || (encode !== undefined && typeof encode !== "function"))
      return `must each have a function decode and, optionally, encode: the codec with id ${id} does not`;
    const place = JSON.stringify([id, manifest ?? null]);
    if (seen.has(place)) return `must have one codec for each id and manifest: there are two with id ${id}`;
    seen.add(place);
  }
  return undefined;
}
