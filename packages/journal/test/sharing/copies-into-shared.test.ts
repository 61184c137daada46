import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../src/open-journal.ts";
import { migrateJournal } from "../../src/tools/copy/migrate-journal.ts";
import { exportEvents } from "../../src/tools/export/export-events.ts";
import { type ImportOptions, importEvents } from "../../src/tools/export/import-events.ts";
import { append, collect, engineWith, itemsOf } from "../journal-world.ts";
import { AkkaPlugin } from "./akka-plugin.ts";
import { table, texts } from "./shared-world.ts";

const source = { table: "source" } as const;
const refusal = { code: "JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA" };

/** Copies the source into the target, in one of two ways. */
type Copy = (port: DynamoPort, akka?: "2.5" | "2.6", options?: ImportOptions) => Promise<unknown>;
const migrated: Copy = (port, akka, options) =>
  migrateJournal({
    ...options,
    from: { port, journal: source },
    to: { port, journal: { table, akka } },
    parallel: 1,
  });
const imported: Copy = async (port, akka, options) => {
  const lines = await collect(exportEvents(port, source));
  return importEvents(port, lines, { table, akka }, options);
};

/** Two tables, each with an id of the Akka plugin; so the target is shared. */
async function world() {
  const port = await engineWith(source, { table });
  await new AkkaPlugin({ port, table, id: "other" }).persist("there");
  return port;
}

describe.each([
  ["a migration", migrated],
  ["an import", imported],
] as const)("%s into a table that Akka shares", (_name, copy) => {
  test("rejects an id with an event that Akka cannot read, and writes nothing of it", async () => {
    const port = await world();
    const journal = await openJournal(port, source);
    await append(
      journal,
      "cart-1",
      texts("a", 153).map((payload) => [{ payload }]),
    );
    await append(journal, "cart-1", [[{ payload: { an: "object" } }]]);
    await expect(copy(port, "2.6")).rejects.toMatchObject({
      ...refusal,
      details: { serializerId: 742001, akka: "2.6", persistenceId: "cart-1", sequenceNr: 154 },
    });
    const keys = (await itemsOf(port, table)).map(({ par }) => par?.S ?? "");
    expect(keys.filter((key) => key.includes("cart-1"))).toEqual([]);
    // Akka 2.5 has no serializer for strings.
    await expect(copy(port, "2.5")).rejects.toMatchObject({ ...refusal, details: { sequenceNr: 1 } });
    await copy(port, "2.6", { allowUnreadableByAkka: true });
    const copied = await openJournal(port, { table, akka: "2.6" });
    expect(await copied.highestSequenceNr("cart-1")).toBe(154);
    await port.close();
  });

  test("copies what Akka reads, and Akka reads it", async () => {
    const port = await world();
    await append(await openJournal(port, source), "cart-1", [[{ payload: "a1" }], [{ payload: "a2" }]]);
    await expect(copy(port)).rejects.toMatchObject({ code: "JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA" });
    await copy(port, "2.6");
    const akka = new AkkaPlugin({ port, table, id: "cart-1" });
    expect((await akka.recover()).map(({ payload }) => payload)).toEqual(["a1", "a2"]);
    expect(await akka.persist("a3")).toBe(3);
    await port.close();
  });

  test.each([undefined, "2.5", "2.6"] as const)(
    "copies events that Akka wrote as they are (%s)",
    async (akka) => {
      const port = await world();
      const plugin = new AkkaPlugin({ port, table: source.table, id: "cart-1" });
      await plugin.persistAll(texts("a", 130));
      await copy(port, akka);
      const copied = new AkkaPlugin({ port, table, id: "cart-1" });
      expect((await copied.recover()).map(({ payload }) => payload)).toEqual(texts("a", 130));
      await port.close();
    },
  );

  test("fails if Akka overwrites an event before the copy is read back", async () => {
    const port = await world();
    const payloads = texts("a", 3).map((payload) => [{ payload }]);
    await append(await openJournal(port, source), "cart-1", payloads);
    // Recovered before the copy, so its first event is number 1, and its put has no condition.
    const actor = new AkkaPlugin({ port, table, id: "cart-1" });
    await actor.recover();
    const overwritten = wrapPort(port, async (operation, input, options, next) => {
      const answer = await next(operation, input, options);
      const isCopied = actor.lastSequenceNr === 0 && (await actor.highestSequenceNr()) === 3;
      if (isCopied) await actor.persist("b1");
      return answer;
    });
    await expect(copy(overwritten, "2.6")).rejects.toMatchObject({
      code: "JOURNAL_COPY_DIFFERS",
      details: { persistenceId: "cart-1", expected: 3, found: 3 },
    });
    // Copied again, the event of the other writer is found at once, and stays.
    await expect(copy(port, "2.6")).rejects.toMatchObject({
      code: "JOURNAL_COPY_REFUSED",
      details: { persistenceId: "cart-1", sequenceNr: 1 },
    });
    expect((await actor.replay())[0]).toMatchObject({ sequenceNr: 1, payload: "b1" });
    await port.close();
  });
});

test("an import that cannot read its export twice is rejected before it writes", async () => {
  const port = await world();
  await append(await openJournal(port, source), "cart-1", [[{ payload: "a1" }]]);
  const lines = () => exportEvents(port, source);
  await expect(importEvents(port, lines(), { table, akka: "2.6" })).rejects.toMatchObject({
    code: "JOURNAL_OPTION_INVALID",
    details: { option: "chunks" },
  });
  expect(await importEvents(port, lines, { table, akka: "2.6" })).toMatchObject({ written: 1 });
  expect(await importEvents(port, lines(), { table, akka: "2.6" }, { allowUnreadableByAkka: true })).toEqual({
    ids: 1,
    events: 1,
    written: 0,
  });
  await port.close();
});
