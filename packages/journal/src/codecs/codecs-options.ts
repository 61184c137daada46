import { JournalError } from "../journal-error.ts";
import type { Codec } from "./codec.ts";
import type { CompressionOptions } from "./compression.ts";
import { ownSerializers } from "./serializer-ids.ts";

/** The serializer that a payload is to be written by. */
export interface SerializerChoice {
  readonly serializerId: number;
  /** @default "" */
  readonly manifest?: string | undefined;
}

/** Settings of `createCodecs`. */
export interface CodecsOptions {
  /** Codecs of your own. They come before the built-in ones of the same id. @default none */
  readonly codecs?: readonly Codec[] | undefined;
  /** Says who writes a payload; undefined leaves it to the payload's type. @default always undefined */
  readonly choose?: ((payload: unknown) => SerializerChoice | undefined) | undefined;
  /** What to do with properties that are undefined, which JSON would drop. @default "refuse" */
  readonly undefinedProperties?: "refuse" | "omit" | undefined;
  /** Compresses payloads; Akka cannot read them then. @default off */
  readonly compression?: CompressionOptions | undefined;
  /** Bytes that a compressed payload may have when it is unpacked. @default 67108864 */
  readonly maxPayloadBytes?: number | undefined;
}

const checks: Readonly<Record<keyof CodecsOptions, (value: unknown) => string | undefined>> = {
  codecs: (value) =>
    Array.isArray(value) ? codecsProblem(value as readonly Codec[]) : "must be a list of codecs",
  choose: (value) => (typeof value === "function" ? undefined : "must be a function"),
  undefinedProperties: (value) =>
    value === "refuse" || value === "omit" ? undefined : 'must be "refuse" or "omit"',
  compression: compressionProblem,
  maxPayloadBytes: wholeNumber(1, 0x7fffffff),
};

const compressionChecks: Readonly<Record<keyof CompressionOptions, (value: unknown) => string | undefined>> =
  {
    minBytes: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    level: wholeNumber(1, 9),
  };

/** Throws `JOURNAL_OPTION_INVALID` for an option that is unknown, or whose value does not fit. */
export function checkCodecsOptions(options: CodecsOptions): void {
  const problem = firstProblem(options, checks);
  if (problem === undefined) return;
  const [option, reason] = problem;
  throw new JournalError("JOURNAL_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

function firstProblem(
  options: object,
  known: Readonly<Record<string, (value: unknown) => string | undefined>>,
): [option: string, reason: string] | undefined {
  for (const [option, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, option))
      return [option, `does not exist: known are ${Object.keys(known).join(", ")}`];
    const reason = value === undefined ? undefined : known[option]?.(value);
    if (reason !== undefined) return [option, reason];
  }
  return undefined;
}

function compressionProblem(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "must be an object";
  const problem = firstProblem(value, compressionChecks);
  return problem === undefined ? undefined : problem.join(" ");
}

function codecsProblem(codecs: readonly Codec[]): string | undefined {
  const seen = new Set<string>();
  const own = new Set<number>(Object.values(ownSerializers));
  for (const { id, manifest, encode, decode } of codecs) {
    if (!Number.isInteger(id) || id !== (id | 0)) return "must have ids that are whole numbers of 32 bits";
    if (own.has(id)) return `must not have the id ${id}, which is taken`;
    if (typeof decode !== "function" || (encode !== undefined && typeof encode !== "function"))
      return `must have functions to decode and, if given, encode: the one of id ${id} has not`;
    const place = JSON.stringify([id, manifest ?? null]);
    if (seen.has(place)) return `must have one codec for each id and manifest: there are two of id ${id}`;
    seen.add(place);
  }
  return undefined;
}

function wholeNumber(least: number, most: number): (value: unknown) => string | undefined {
  return (value) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? undefined
      : `must be a whole number from ${least} to ${most}`;
}
