import { wrapPort } from "@tablekeep/core";
import { stopAfterNth } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import type { JournalWriter } from "../../src/context/journal.ts";
import { openJournal } from "../../src/open-journal.ts";
import { readStoredSettings } from "../../src/settings/discover-journals.ts";
import { builtOnce } from "../built-once.ts";
import { mortalAt } from "../faults/mortal-port.ts";
import { collect, engineWith, range } from "../journal-world.ts";
import { type SharedWorld, sharedWorld, table, texts } from "./shared-world.ts";

/** Appends one atomic write, and expects it to be stored. */
async function append(writer: JournalWriter, payloads: readonly string[]): Promise<void> {
  const outcome = await writer.append(payloads.map((payload) => ({ payload })));
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

test("rows that Akka left above the end do not stop an atomic append forever", async () => {
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
    const outcome = await writer.append(batch);
    kinds.push(outcome?.kind);
  }
  expect(kinds).toEqual(["conflict", "ok"]);
  const { ours, akkas } = await world.read();
  expect(ours).toEqual(akkas);
  expect(ours).toHaveLength(34 + 80);
  expect((await world.akka()).lastSequenceNr).toBe(134 + 80);
});

/** Both sides read these, and the next number of either is this. */
async function expectBoth(world: SharedWorld, numbers: readonly number[], next: number): Promise<void> {
  const { ours, akkas } = await world.read();
  expect(akkas).toEqual(ours);
  expect(ours.map((text) => Number(text.split(" ")[0]))).toEqual(numbers);
  expect((await world.akka()).lastSequenceNr + 1).toBe(next);
  expect((await (await world.open()).highestSequenceNr(world.id)) + 1).toBe(next);
}

test("after Tablekeep's delete Akka continues, deletes, and assigns no sequence number twice", async () => {
  await using world = await sharedWorld();
  await (await world.akka()).persistAll(texts("a", 8));
  const journal = await world.open();
  await journal.deleteTo(world.id, 8);
  await expectBoth(world, [], 9);
  const akka = await world.akka();
  await akka.persist("b9");
  await akka.persist("b10");
  await expectBoth(world, [9, 10], 11);
  await akka.deleteTo(10);
  await expectBoth(world, [], 11);
});

test("a delete that stops at any request leaves what Akka continues after", async () => {
  const setup = builtOnce(async () => {
    const world = await sharedWorld();
    await (await world.akka()).persistAll(texts("a", 98));
    const writer = await (await world.open()).recover(world.id);
    await append(writer, texts("b", 6));
    return world;
  });
  const report = await stopAfterNth({
    setup,
    run: async (port) => (await openJournal(port, { table, akka: "2.6" })).deleteTo("cart-1", 104),
    async check(world) {
      expect((await world.akka()).lastSequenceNr).toBe(104);
      await (await world.open()).deleteTo(world.id, 104);
      await expectBoth(world, [], 105);
    },
  });
  expect(report.requests).toBeGreaterThan(100);
});

test.each(["optimistic", "strict"] as const)(
  "where rows are removed, a writer that missed a delete gets a conflict (%s)",
  async (fencing) => {
    await using world = await sharedWorld({ fencing });
    await (await world.akka()).persist("a1");
    const journal = await world.open();
    const writes = [["late"], texts("late", 3), texts("late", 130)];
    const late = [];
    for (const _write of writes) late.push(await journal.recover(world.id));
    const writer = await journal.recover(world.id);
    await append(writer, ["b2"]);
    await append(writer, texts("c", 120));
    await journal.deleteTo(world.id, 122);
    for (const [at, write] of writes.entries()) {
      const outcome = await late[at]?.append(write.map((payload) => ({ payload })));
      expect(outcome?.kind).toBe("conflict");
    }
    await expectBoth(world, [], 123);
  },
);

test("a purge that stops at any request leaves an id that Akka continues or starts", async () => {
  const setup = builtOnce(async () => {
    const world = await sharedWorld();
    await (await world.akka()).persistAll(texts("a", 8));
    await append(await (await world.open()).recover(world.id), texts("b", 2));
    return world;
  });
  const report = await stopAfterNth({
    setup,
    run: async (port) => (await openJournal(port, { table, akka: "2.6" })).purge("cart-1"),
    async check(world) {
      expect([0, 10]).toContain((await world.akka()).lastSequenceNr);
      await (await world.open()).purge(world.id);
      await expectBoth(world, [], 1);
    },
  });
  expect(report.requests).toBeGreaterThan(20);
});

test.each([
  ["bucketed", "2.6"],
  ["bucketed", "none"],
  ["linear", "none"],
  ["scattered", "none"],
] as const)(
  "a delete in flight takes nothing of an id that is purged and started again (%s, %s)",
  async (layout, akka) => {
    const options = { table, layout, akka } as const;
    const port = await engineWith(options);
    const journal = await openJournal(port, options);
    await append(await journal.recover("a"), texts("old", 3));
    let restarted = false;
    // The first row of the delete is about to go: meanwhile the id is purged, and lives again.
    const slow = wrapPort(port, async (operation, input, call, next) => {
      const text = JSON.stringify(input);
      const isRow = /"tomb":/.test(text) || operation === "DeleteItem";
      if (isRow && !restarted) {
        restarted = true;
        const other = await openJournal(port, options);
        await other.purge("a");
        await append(await other.recover("a"), texts("new", 3));
      }
      return next(operation, input, call);
    });
    await (await openJournal(slow, options)).deleteTo("a", 3);
    expect(restarted).toBe(true);
    expect((await collect(journal.replay("a"))).map(({ payload }) => payload)).toEqual(texts("new", 3));
    await port.close();
  },
);

describe("the mode of a journal", () => {
  test("is shared where the table holds rows of Akka, and stays so", async () => {
    await using world = await sharedWorld({ akka: undefined });
    await (await world.akka()).persist("a1");
    await world.open();
    expect(await readStoredSettings(world.port, { table })).toMatchObject({ akka: "shared" });
    await world.open(world.port, { akka: "2.5" });
    await expect(world.open(world.port, { akka: "none" })).rejects.toMatchObject({
      code: "JOURNAL_SETTINGS_DIFFER",
      details: { setting: "akka", stored: "shared", given: "none" },
    });
  });

  test("is none in an empty table, and stays so", async () => {
    await using world = await sharedWorld({ akka: undefined });
    await world.open();
    await (await world.akka()).persist("a1");
    expect(await readStoredSettings(world.port, { table })).toMatchObject({ akka: "none" });
    await expect(world.open(world.port, { akka: "2.6" })).rejects.toMatchObject({
      code: "JOURNAL_SETTINGS_DIFFER",
      details: { setting: "akka", stored: "none", given: "shared" },
    });
  });

  test.each([
    ["packed", ["GetItem", "Scan", "PutItem"]],
    ["bucketed", ["GetItem", "Scan", "PutItem"]],
    ["scattered", ["GetItem", "Scan", "PutItem"]],
    ["linear", ["GetItem", "GetItem", "Scan", "TransactWriteItems"]],
  ] as const)(
    "takes no option and one scan in a new table, and one read later (%s)",
    async (layout, first) => {
      const options = { table, layout };
      const port = await engineWith(options);
      const sent: string[] = [];
      const counted = wrapPort(port, async (operation, input, call, next) => {
        sent.push(operation);
        return next(operation, input, call);
      });
      const journal = await openJournal(counted, options);
      expect(sent.splice(0)).toEqual(first);
      const outcomes = await (await journal.recover("a")).appendEach(
        texts("a", 150).map((payload) => ({ payload })),
      );
      expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["ok"]));
      sent.length = 0;
      await openJournal(counted, options);
      expect(sent).toEqual(["GetItem"]);
      await port.close();
    },
  );

  test("accepts no option for a second journal beside a small one", async () => {
    await using world = await sharedWorld({ akka: undefined });
    await append(await (await world.open()).recover(world.id), texts("a", 50));
    await world.open(world.port, { journalName: "other" });
    expect(await readStoredSettings(world.port, { table, journalName: "other" })).toMatchObject({
      akka: "none",
    });
  });

  test("must be given where many items of others are in the way", async () => {
    await using world = await sharedWorld({ akka: undefined });
    await (await world.akka()).persistAll(texts("a", 150));
    const other = { layout: "bucketed", akka: undefined, journalName: "other" } as const;
    await expect(world.open(world.port, other)).rejects.toMatchObject({
      code: "JOURNAL_OPTION_INVALID",
      details: { option: "akka" },
    });
    await world.open(world.port, { ...other, akka: "none" });
    await world.open(world.port, other);
  });

  test("is none in the linear layout", async () => {
    const port = await engineWith({ table, layout: "linear" });
    await expect(openJournal(port, { table, layout: "linear", akka: "2.6" })).rejects.toMatchObject({
      code: "JOURNAL_OPTION_INVALID",
    });
    await port.close();
  });
});

describe("payloads in a table that Akka shares", () => {
  const payloads: Record<string, unknown> = {
    object: { total: 5 },
    null: null,
    fraction: 0.5,
    "number beyond 32 bits": 2 ** 40,
    string: "text",
    int: 7,
    long: 7n,
    boolean: true,
    bytes: Uint8Array.of(1, 2),
    custom: { serializerId: 9001, manifest: "M", bytes: Uint8Array.of(1) },
  };
  const readable = {
    "2.5": ["fraction", "number beyond 32 bits", "string", "int", "long", "boolean", "bytes", "custom"],
    "2.6": ["string", "int", "long", "boolean", "bytes", "custom"],
    unknown: ["bytes", "custom"],
  };

  test.each(["2.5", "2.6", "unknown"] as const)(
    "are rejected where Akka %s cannot read them",
    async (line) => {
      const akka = line === "unknown" ? undefined : line;
      await using world = await sharedWorld({ akka });
      await (await world.akka()).persist("a1");
      const writer = await (await world.open()).recover(world.id);
      const taken: string[] = [];
      for (const [name, payload] of Object.entries(payloads)) {
        const outcome = await writer.append({ payload });
        if (outcome?.kind === "ok") taken.push(name);
        else
          expect(outcome).toMatchObject({
            kind: "rejected",
            error: { code: "JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA" },
          });
      }
      expect(taken).toEqual(readable[line]);
      const journal = await world.open();
      const replayed = (await collect(journal.replay(world.id))).slice(1).map(({ payload }) => payload);
      expect(replayed).toEqual(taken.map((name) => payloads[name]));
    },
  );

  test("are all accepted if Akka no longer uses the table", async () => {
    await using world = await sharedWorld({ akka: "none" });
    await (await world.akka()).persist("a1");
    const writer = await (await world.open()).recover(world.id);
    const outcomes = await writer.appendEach(Object.values(payloads).map((payload) => ({ payload })));
    expect(outcomes.map(({ kind }) => kind)).toEqual(Object.keys(payloads).map(() => "ok"));
  });
});
