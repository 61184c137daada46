import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Clock, Key } from "@tablekeep/core";
import type { OriginalMessage } from "../../../model/message.ts";

/** The key attributes of a table in this layout. */
export const keyNames = ["pk", "sk"] as const;

/** The items of an hour's partition: summaries, or signatures for the search. */
export type HourPartition = "m" | "s";

export function hourPartition(
  kind: HourPartition,
  { era, hour, shard }: Omit<MessageLocation, "ms">,
): string {
  return `${kind}#${era}#${hour}#${shard}`;
}

export function summaryKey(id: string, place: MessageLocation): Key {
  return { pk: { S: hourPartition("m", place) }, sk: { S: id } };
}

export function signatureKey(id: string, place: MessageLocation): Key {
  return { pk: { S: hourPartition("s", place) }, sk: { S: id } };
}

/** The blocks of signatures of an hour, of all its shards. */
export function blocksPartition({ era, hour }: Pick<MessageLocation, "era" | "hour">): string {
  return `g#${era}#${hour}`;
}

/** `from` is the lower bound of the ids in the block. */
export function blockKey(hour: Pick<MessageLocation, "era" | "hour">, from: string): Key {
  return { pk: { S: blocksPartition(hour) }, sk: { S: from } };
}

/** The rows of the blocks of an hour. */
export function partsPartition({ era, hour }: Pick<MessageLocation, "era" | "hour">): string {
  return `w#${era}#${hour}`;
}

/** `name` is that of the block's parts. */
export function partKey(hour: Pick<MessageLocation, "era" | "hour">, name: string, part: string): Key {
  return { pk: { S: partsPartition(hour) }, sk: { S: `${name}.${part}` } };
}

/** A chunk of a body, which has its own partition, or `partition/number` if it shares one. */
export function chunkKey(body: string, index: number): Key {
  const [partition = body, number] = body.split("/");
  const chunk = String(index).padStart(6, "0");
  return { pk: { S: `b#${partition}` }, sk: { S: number === undefined ? chunk : `${number}#${chunk}` } };
}

/** Bodies in one partition. */
const sharedBodies = 64;

/** Names of bodies. Each has its own partition, or shares one with others that arrive at the same time. */
export function bodySource(shared: boolean): () => string {
  let partition = "";
  let count = sharedBodies;
  return () => {
    if (!shared) return randomUUID();
    if (count === sharedBodies) {
      partition = randomUUID();
      count = 0;
    }
    return `${partition}/${String(count++).padStart(2, "0")}`;
  };
}

/** The changes to messages that were made in an hour, whatever the era. */
export function changesPartition(hour: string): string {
  return `c#${hour}`;
}

/** All hours that contain messages, by era, in one partition, and the current era behind them. */
export const hoursPartition = "hours";

export function hourKey({ era, hour }: Pick<MessageLocation, "era" | "hour">): Key {
  return { pk: { S: hoursPartition }, sk: { S: `${era}#${hour}` } };
}

/** The current era. Sorts behind all hours, so that a read of the newest hours begins with it. */
export const eraKey: Key = { pk: { S: hoursPartition }, sk: { S: "~era" } };

/** The instance that makes blocks of signatures. */
export const buildKey: Key = { pk: { S: hoursPartition }, sk: { S: "~blocks" } };

/** The instance that removes the items of earlier eras. */
export const sweepKey: Key = { pk: { S: hoursPartition }, sk: { S: "~sweep" } };

/** The era with this number, in the form that keys contain. */
export function eraName(number: number): string {
  return String(number).padStart(8, "0");
}

/** The era and the hour in the sort key of a directory entry; undefined if it is not one. */
export function hourOfKey(sk: string): Pick<MessageLocation, "era" | "hour"> | undefined {
  const [, era, hour] = /^(\d{8})#(\d{4}-\d\d-\d\dT\d\d)$/.exec(sk) ?? [];
  return era === undefined || hour === undefined ? undefined : { era, hour };
}

/** Whether an address is that of a sender or of a recipient. */
export type AddressRole = "sender" | "recipient";

/** Longer addresses are hashed: a key has at most 2,048 bytes. */
const maxAddressBytes = 512;

export function addressPartition(
  role: AddressRole,
  address: string,
  { era, shard }: Pick<MessageLocation, "era" | "shard">,
): string {
  const known =
    Buffer.byteLength(address) > maxAddressBytes
      ? `sha256:${createHash("sha256").update(address).digest("hex")}`
      : address;
  return `a#${era}#${role === "sender" ? "s" : "r"}#${known}#${shard}`;
}

export function addressKey(role: AddressRole, address: string, id: string, place: MessageLocation): Key {
  return { pk: { S: addressPartition(role, address, place) }, sk: { S: id } };
}

/** Without i, l, o and u, in the order of their codes, so that encoded numbers sort as numbers. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";

/** 10 digits of time, 4 of a counter within the millisecond, 11 random ones, 1 for the shard. */
const pattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Ids keep increasing when the clock is set back by less than this. */
const smallestStepBackMs = 1000;

/** The end of the year 9999: names of later hours have another length. */
const lastMs = 253_402_300_799_999;

/** The part of a message's location that its id contains. */
export interface ParsedId {
  readonly ms: number;
  /** "2026-11-15T07". */
  readonly hour: string;
  readonly shard: number;
}

/** The location of a message. */
export interface MessageLocation extends ParsedId {
  /** The era in which the message was stored. Deleting all messages begins another one. */
  readonly era: string;
}

/** Creates ids that sort by time and, within one process, by order of creation. */
export type NewId = () => string;

/** Ids over this many shards, chosen in turn. */
export function idSource(clock: Clock, shards: number): NewId {
  let last = 0;
  let counter = 0;
  let shard = randomBytes(1)[0] as number;
  const chance = chanceSource();
  return () => {
    const now = Math.floor(clock.now());
    const stepBack = last - now;
    const ms = stepBack > 0 && stepBack < smallestStepBackMs ? last : now;
    counter = ms === last ? counter + 1 : 0;
    last = ms;
    shard = (shard + 1) % shards;
    return digit32(ms, 10) + digit32(counter, 4) + chance() + digits.charAt(shard);
  };
}

/** Returns 11 random digits. Draws bytes for many ids at once, because one call per id would dominate the cost. */
function chanceSource(): () => string {
  let drawn: Uint8Array = new Uint8Array(0);
  return () => {
    if (drawn.length < 11) drawn = randomBytes(11 * 64);
    let text = "";
    for (let at = 0; at < 11; at++) text += digits.charAt((drawn[at] as number) & 31);
    drawn = drawn.subarray(11);
    return text;
  };
}

/** Shards of messages from elsewhere. Not those of the store, so that all stores of a table make the same ids. */
const originalShards = 4;

/** The id of a message that was received elsewhere: its key, if that is an id, and otherwise made of its time and its key. */
export function originalId({ created, key, position = 0 }: OriginalMessage): string {
  if (parseId(key) !== undefined) return key;
  const hash = createHash("sha256").update(key).digest();
  const chance = Array.from({ length: 11 }, (_, at) => digits.charAt((hash[at] as number) & 31)).join("");
  return (
    digit32(created, 10) +
    digit32(position, 4) +
    chance +
    digits.charAt((hash[11] as number) % originalShards)
  );
}

/** The lowest id of a millisecond, for ranges. */
export function firstIdAt(ms: number): string {
  return `${digit32(Math.max(0, Math.floor(ms)), 10)}${"0".repeat(16)}`;
}

/** The location of the message with this id; undefined if it is not an id. */
export function parseId(id: string): ParsedId | undefined {
  if (!pattern.test(id)) return undefined;
  let ms = 0;
  for (const digit of id.slice(0, 10)) ms = ms * 32 + digits.indexOf(digit);
  if (ms > lastMs) return undefined;
  return { ms, hour: hourOf(ms), shard: digits.indexOf(id.charAt(25)) };
}

const hourMs = 3_600_000;
/** The hour that was asked for last: most messages are of the present one. */
let lastHour = { number: Number.NaN, name: "" };

/** The hour of a moment, in UTC. */
export function hourOf(ms: number): string {
  const number = Math.floor(ms / hourMs);
  if (number !== lastHour.number) lastHour = { number, name: new Date(ms).toISOString().slice(0, 13) };
  return lastHour.name;
}

/** The first millisecond of an hour. */
export function hourStart(hour: string): number {
  return Date.parse(`${hour}:00:00.000Z`);
}

function digit32(value: number, length: number): string {
  let text = "";
  let rest = value;
  for (let at = 0; at < length; at++) {
    text = digits.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
