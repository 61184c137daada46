import { randomUUID } from "node:crypto";
import { scanItems } from "@tablekeep/client";
import type { DynamoPort, Item, Logger } from "@tablekeep/core";
import { openSnapshots } from "../src/snapshots/open-snapshots.ts";
import type { SnapshotsOptions } from "../src/snapshots/snapshot-options.ts";
import type { Snapshots } from "../src/snapshots/snapshots.ts";

export const table = "snapshots";

/** Opens the snapshots of the one table of these tests, with items small enough that little makes many chunks. */
export function openSmall(port: DynamoPort, options: SnapshotsOptions = {}): Promise<Snapshots> {
  return openSnapshots(port, { table, maxItemSize: 4_096, ...options });
}

/** Bytes that compression does not shorten, different with every call. */
export function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(length, at + 65_536)));
  }
  return bytes;
}

/** Every item of the table. */
export async function allItems(port: DynamoPort, TableName: string = table): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of scanItems(port, { TableName, ConsistentRead: true })) items.push(item);
  return items;
}

/** How many heads, records of chunked saves, and chunks the table holds. */
export async function census(port: DynamoPort): Promise<{ heads: number; stages: number; chunks: number }> {
  const items = await allItems(port);
  return {
    heads: items.filter((item) => item["ts"] !== undefined).length,
    stages: items.filter((item) => item["until"] !== undefined).length,
    chunks: items.filter((item) => item["data"] !== undefined).length,
  };
}

/** The code and the ambiguity of what a promise is rejected with. */
export async function failureOf(
  promise: Promise<unknown>,
): Promise<{ code: string; ambiguous: boolean; message: string; details: object }> {
  return promise.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error as { code: string; ambiguous: boolean; message: string; details: object },
  );
}

/** A logger that keeps its entries. */
export function memoryLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (level: string) => (message: string, fields?: object) => {
    lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
  };
  return { lines, debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
}

/** A unique string for an id or a table. */
export function unique(): string {
  return `t-${randomUUID().slice(0, 8)}`;
}
