import { expect, test } from "vitest";
import type { JournalWriter } from "../../src/journal.ts";
import { range } from "../journal-world.ts";
import { mortalAt } from "../trouble/mortal-port.ts";
import { sharedWorld, table, texts } from "./shared-world.ts";

/** Appends one atomic write, and expects it to be stored. */
async function append(writer: JournalWriter, payloads: readonly string[]): Promise<void> {
  const [outcome] = await writer.append([payloads.map((payload) => ({ payload }))]);
  if (outcome?.kind !== "ok") throw outcome?.error;
}

test("appends after a batch of Akka that lost its high mark are seen by Akka", async () => {
  await using world = await sharedWorld();
  const before = await world.akka();
  await before.persistAll(texts("a", 76));
  // The rows of 77 to 151 fill three requests; the high mark is alone in the fourth, which fails.
  let requests = 0;
  const dies = mortalAt(world.port, (operation) => operation === "BatchWriteItem" && ++requests === 4);
  const failing = await world.akka(dies);
  await expect(failing.persistAll(texts("b", 75))).rejects.toThrow();
  const writer = await (await world.open()).recover(world.id);
  await append(writer, ["ours-1"]);
  await append(writer, ["ours-2"]);
  const after = await world.akka();
  expect(after.lastSequenceNr).toBe(writer.highestSequenceNr);
  await after.persist("next");
  const { ours, akkas } = await world.read();
  expect(ours).toEqual(akkas);
  expect(ours.slice(-3)).toEqual(["152 ours-1", "153 ours-2", "154 next"]);
});

test("a half batch of Akka counts up to its last row, not to the end that it declares", async () => {
  await using world = await sharedWorld();
  await (await world.akka()).persistAll(texts("a", 76));
  let requests = 0;
  const dies = mortalAt(world.port, (operation) => operation === "BatchWriteItem" && ++requests === 2);
  await expect((await world.akka(dies)).persistAll(texts("b", 75))).rejects.toThrow();
  const { lastSequenceNr } = await world.akka();
  const journal = await world.open();
  expect(lastSequenceNr).toBe(99);
  expect(await journal.highestSequenceNr(world.id)).toBe(101);
});

test("rows that Akka left above the end do not stop an atomic append for ever", async () => {
  await using world = await sharedWorld();
  await (await world.akka()).persistAll(texts("a", 34));
  // Of 35 to 134 only the fourth group arrives: 110 to 134, without a high mark.
  const leftOver = await world.akka();
  leftOver.lastSequenceNr = 34;
  const dropped = await world.port.checkpoint();
  await leftOver.persistAll(texts("b", 100));
  const kept = range(110, 134).map((at) => ({
    par: { S: `journal-P-${world.id}-1` },
    num: { N: `${at - 100}` },
  }));
  const rows = await Promise.all(
    kept.map(async (Key) => (await world.port.getItem({ TableName: table, Key })).Item ?? {}),
  );
  await world.port.restore(dropped);
  for (const Item of rows) await world.port.putItem({ TableName: table, Item });

  const journal = await world.open();
  const batch = texts("c", 80).map((payload) => ({ payload }));
  const kinds: (string | undefined)[] = [];
  for (let attempt = 0; attempt < 3 && kinds.at(-1) !== "ok"; attempt++) {
    const writer = await journal.recover(world.id);
    const [outcome] = await writer.append([batch]);
    kinds.push(outcome?.kind);
  }
  expect(kinds).toEqual(["conflict", "ok"]);
  const { ours, akkas } = await world.read();
  expect(ours).toEqual(akkas);
  expect(ours).toHaveLength(34 + 80);
  expect((await world.akka()).lastSequenceNr).toBe(134 + 80);
});
