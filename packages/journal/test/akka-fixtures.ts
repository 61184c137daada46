import { readFileSync } from "node:fs";
import type { AttributeValue, Item } from "@tablekeep/core";

/** Tables that the original plugins wrote, each with what they read back. */
export const akkaFixtures = [
  "akka-0.3",
  "akka-1.1",
  "akka-1.1-akka-2.6",
  "akka-1.1-then-1.3",
  "akka-1.3",
  "akka-1.3-akka-2.6",
  "akka-1.3-faults",
] as const;

export type AkkaFixture = (typeof akkaFixtures)[number];

/** A payload as the original gave it: by value, or by length and SHA-256 where it is long. */
export interface ListedPayload {
  readonly payloadKind: string;
  readonly value?: unknown;
  readonly valueLength?: number;
  readonly valueSha256?: string;
  readonly valueUtf8Sha256?: string;
  readonly serializerId: number;
  readonly serializerManifest: string;
}

export interface ListedEvent extends ListedPayload {
  readonly seq: number;
  readonly manifest?: string;
  readonly writerUuid?: string;
  readonly storedIn?: "pay" | "event";
  readonly deleted?: boolean;
  readonly confirms?: readonly string[];
  readonly sender?: string;
}

export interface ListedSnapshot extends ListedPayload {
  readonly seq: number;
  readonly timestamp: number;
}

/** A replay with bounds, and the numbers that it gave. "max" is the largest number of 64 bits. */
export interface ListedRange {
  readonly from: number;
  readonly to: string;
  readonly max: string;
  readonly highestSequenceNr: number;
  readonly seqs: readonly number[];
}

/** What the original read of one id; only `error` where a class had changed between two versions of Scala. */
export interface ListedId {
  readonly highestSequenceNr?: number;
  readonly events?: readonly ListedEvent[];
  readonly eventsReplayDeleted?: readonly ListedEvent[];
  readonly ranges?: readonly ListedRange[];
  readonly snapshots?: readonly ListedSnapshot[];
  readonly error?: string;
}

/** The events that the original read back, by persistence id. */
export function listedIds(fixture: AkkaFixture): Readonly<Record<string, ListedId>> {
  return (readJson(fixture, "expected.json") as { persistenceIds: Record<string, ListedId> }).persistenceIds;
}

/** The items of a table as the service returned them. */
export function fixtureItems(fixture: AkkaFixture, table: "journal" | "snapshots"): Item[] {
  return (
    readJson(fixture, `${table}.json`) as { Items: Record<string, Record<string, unknown>>[] }
  ).Items.map((item) =>
    Object.fromEntries(Object.entries(item).map(([name, value]) => [name, attributeValue(value)])),
  );
}

function attributeValue(value: Record<string, unknown>): AttributeValue {
  const { B } = value;
  return typeof B === "string" ? { B: new Uint8Array(Buffer.from(B, "base64")) } : (value as AttributeValue);
}

function readJson(fixture: AkkaFixture, file: string): unknown {
  return JSON.parse(readFileSync(new URL(`fixtures/${fixture}/${file}`, import.meta.url), "utf8"));
}
