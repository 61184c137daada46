import { JournalError } from "../errors/journal-error.ts";
import type { EncodedPayload } from "./codec.ts";
import { akkaSerializers as akka, ownSerializers } from "./serializer-ids.ts";

/** Akka up to 2.5, or Akka from 2.6 on and Pekko: they read different serializers. */
export type AkkaLine = "2.5" | "2.6";

/** Payloads that no Akka version reads. Akka has a serializer for null, but no null events. */
const unreadable: ReadonlySet<number> = new Set([akka.null, ...Object.values(ownSerializers)]);

/** Payloads that Akka reads since 2.6, without configuration. */
const since26: ReadonlySet<number> = new Set([
  akka.long,
  akka.int,
  akka.string,
  akka.byteString,
  akka.boolean,
  akka.jacksonJson,
  akka.jacksonLegacy,
  akka.jacksonCbor,
]);

/**
 * Returns whether Akka of this line reads the payloads of a serializer with its default settings. Other ids are the
 * user's own serializers.
 */
export function akkaReads(line: AkkaLine, serializerId: number): boolean {
  if (unreadable.has(serializerId)) return false;
  return line === "2.5" ? !since26.has(serializerId) : serializerId !== akka.java;
}

/**
 * Rejects a payload that the Akka version that shares the table cannot read: one such event would make it fail to
 * recover the whole id. If the version is unknown, only what all versions read is accepted.
 */
export function checkAkkaReads(use: AkkaLine | "unknown" | "none", { serializerId }: EncodedPayload): void {
  const line = akkaWithout(use, serializerId);
  if (use === "none" || line === undefined) return;
  const todo =
    use === "unknown"
      ? 'open the journal with akka "2.5" or "2.6", whichever uses this table, or with akka "none" if no Akka uses it'
      : "write a string, a byte array, or a payload of a serializer that your Akka has";
  throw new JournalError(
    "JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA",
    `Akka ${line} cannot read serializer ${serializerId} and would fail to recover the whole id (${todo})`,
    { serializerId, akka: use },
  );
}

/**
 * Returns the line of Akka that shares the table and cannot read the payloads of a serializer; undefined if there is
 * none.
 */
export function akkaWithout(use: AkkaLine | "unknown" | "none", serializerId: number): AkkaLine | undefined {
  if (use === "none") return undefined;
  // Java serialization is disabled by default since Akka 2.6, so it must be chosen explicitly.
  if (use === "2.6" && serializerId === akka.java) return undefined;
  const lines: readonly AkkaLine[] = use === "unknown" ? ["2.5", "2.6"] : [use];
  return lines.find((line) => !akkaReads(line, serializerId));
}
