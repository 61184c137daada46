import { createTableInput, scanItems } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import type { AtomicWrite, Journal, JournalEvent } from "../src/context/journal.ts";
import { type JournalOptions, journalTableSpec } from "../src/context/journal-options.ts";
import { type AkkaFixture, fixtureItems } from "./akka-fixtures.ts";

/** Those where an item is one event. */
export const rowLayouts = ["bucketed", "linear", "scattered"] as const;

export const layouts = ["packed", ...rowLayouts] as const;

/** Makes the table of a journal. */
export async function makeTable(port: DynamoPort, options: JournalOptions): Promise<void> {
  await port.createTable(createTableInput(journalTableSpec(options)));
}

/** An engine in memory with the tables of these journals. */
export async function engineWith(...journals: readonly JournalOptions[]): Promise<Engine> {
  const port = await openEngine({ storage: { kind: "memory" } });
  for (const options of journals) await makeTable(port, options);
  return port;
}

/** How the journal of a fixture is opened, in a table of the tests. */
export function fixtureOptions(fixture: AkkaFixture): JournalOptions {
  return { table: fixture, layout: fixture === "akka-0.3" ? "scattered" : "bucketed" };
}

/** An engine in memory with what an original wrote. */
export async function engineWithFixture(fixture: AkkaFixture): Promise<Engine> {
  const port = await engineWith(fixtureOptions(fixture));
  const puts = fixtureItems(fixture, "journal").map((Item) => ({ PutRequest: { Item } }));
  // As many as a request takes.
  for (let at = 0; at < puts.length; at += 25)
    await port.batchWriteItem({ RequestItems: { [fixture]: puts.slice(at, at + 25) } });
  return port;
}

/** Appends, and expects it to be stored. */
export async function append(journal: Journal, id: string, writes: readonly AtomicWrite[]): Promise<void> {
  const writer = await journal.recover(id);
  for (const outcome of await writer.appendEach(writes)) if (outcome.kind !== "ok") throw outcome.error;
}

/** Events number `from` to `to`, as one write each. */
export function singles(from: number, to: number): { payload: unknown; tags: readonly string[] }[] {
  return Array.from({ length: to - from + 1 }, (_unused, at) => ({
    payload: { n: from + at },
    tags: [`t${(from + at) % 3}`],
  }));
}

/** Every item of a table. */
export async function itemsOf(port: DynamoPort, TableName: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of scanItems(port, { TableName, ConsistentRead: true })) items.push(item);
  return items;
}

export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** The numbers of some events. */
export function numbersOf(events: readonly Pick<JournalEvent, "sequenceNr">[]): number[] {
  return events.map(({ sequenceNr }) => sequenceNr);
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_unused, at) => from + at);
}
