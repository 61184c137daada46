import { randomBytes } from "node:crypto";
import type { Clock } from "@tablekeep/core";
import type { PartitionSpan } from "../../model/mail-options.ts";

/** 19 digits of nanoseconds, a bar, and MailHog's own id. */
const pattern = /^([0-9]{19})\|./s;

/** Maximum bytes of a sort key. */
const maxIdBytes = 1024;

/** The location of a message in this layout. */
export interface StoragePlace {
  readonly partition: string;
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** The part after the bar. */
  readonly messageId: string;
}

/** The location of the message with this id; undefined if it is not an id. */
export function placeOfStorageId(id: string, span: PartitionSpan): StoragePlace | undefined {
  const nanos = pattern.exec(id)?.[1];
  if (nanos === undefined || Buffer.byteLength(id) > maxIdBytes) return undefined;
  const ms = Number(nanos.slice(0, 13));
  return { ms, partition: partitionAt(ms, span), messageId: id.slice(20) };
}

/** The partition of a time: "2026-03-10", followed by its first hour for half days and hours. */
export function partitionAt(ms: number, span: PartitionSpan): string {
  const text = new Date(ms).toISOString();
  if (span === "day") return text.slice(0, 10);
  return span === "hour"
    ? text.slice(0, 13)
    : `${text.slice(0, 11)}${text.slice(11, 13) < "12" ? "00" : "12"}`;
}

/** Milliseconds that a partition covers. */
export function spanMs(span: PartitionSpan): number {
  return { day: 86_400_000, "half-day": 43_200_000, hour: 3_600_000 }[span];
}

/** The lowest id of a millisecond, for ranges. */
export function firstStorageIdAt(ms: number): string {
  return `${String(Math.max(0, Math.floor(ms))).padStart(13, "0")}000000|`;
}

/** Creates ids that sort by time and, within one process, by order of creation. */
export function storageIdSource(clock: Clock, hostname: string): () => string {
  let last = 0;
  let counter = 0;
  return () => {
    const ms = Math.floor(clock.now());
    counter = ms === last ? (counter + 1) % 1_000_000 : 0;
    last = ms;
    const nanos = `${String(ms).padStart(13, "0")}${String(counter).padStart(6, "0")}`;
    return `${nanos}|${paddedBase64(randomBytes(32))}@${hostname}`;
  };
}

/** Go's URL encoding of base64, which keeps "=". */
function paddedBase64(bytes: Buffer): string {
  return `${bytes.toString("base64url")}${"=".repeat((3 - (bytes.length % 3)) % 3)}`;
}
