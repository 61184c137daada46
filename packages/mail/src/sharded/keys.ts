import { createHash } from "node:crypto";
import type { Key } from "@tablekeep/core";
import type { Place } from "./message-id.ts";

/** The key attributes of a table in this layout. */
export const keyNames = ["pk", "sk"] as const;

/** The items of an hour's partition: summaries, or signatures for the search. */
export type HourPartition = "m" | "s";

export function hourPartition(kind: HourPartition, { hour, shard }: Omit<Place, "ms">): string {
  return `${kind}#${hour}#${shard}`;
}

export function summaryKey(id: string, place: Place): Key {
  return { pk: { S: hourPartition("m", place) }, sk: { S: id } };
}

export function signatureKey(id: string, place: Place): Key {
  return { pk: { S: hourPartition("s", place) }, sk: { S: id } };
}

export function chunkKey(body: string, index: number): Key {
  return { pk: { S: `b#${body}` }, sk: { S: String(index).padStart(6, "0") } };
}

/** All hours that hold messages, in one partition. */
export const hoursPartition = "hours";

export function hourKey(hour: string): Key {
  return { pk: { S: hoursPartition }, sk: { S: hour } };
}

/** Whether an address is one that sent a message or one that it was for. */
export type AddressRole = "sender" | "recipient";

/** Longer addresses are known by their hash: a key holds 2,048 bytes. */
const longestAddress = 512;

export function addressPartition(role: AddressRole, address: string, shard: number): string {
  const known =
    Buffer.byteLength(address) > longestAddress
      ? `sha256:${createHash("sha256").update(address).digest("hex")}`
      : address;
  return `a#${role === "sender" ? "s" : "r"}#${known}#${shard}`;
}

export function addressKey(role: AddressRole, address: string, id: string, place: Place): Key {
  return { pk: { S: addressPartition(role, address, place.shard) }, sk: { S: id } };
}
