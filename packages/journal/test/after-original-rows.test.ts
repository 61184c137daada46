import { type DynamoPort, type QueryOutput, wrapPort } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Journal, type JournalOptions, openJournal } from "../src/index.ts";
import { exportEvents, migrateJournal, repairJournal, verifyJournal } from "../src/tools/index.ts";
import { engineFor } from "./faults/fault-world.ts";
import { append, collect, engineWith, numbersOf, range } from "./journal-world.ts";
import { eventKey, id, originalItem, table } from "./original/original-table.ts";

const options: JournalOptions = { layout: "bucketed", table, akka: "none", random: () => 0.02 };

/** The port, where the row of a number is not visible yet to the first queries that would return it. */
function hiding(port: DynamoPort, sequenceNr: number, queries: number): DynamoPort {
  let left = queries;
  return wrapPort(port, async (operation, input, call, next) => {
    const output = await next(operation, input, call);
    if (operation !== "Query") return output;
    const { Items = [], ...rest } = output as QueryOutput;
    const visible = Items.filter((item) => Number(item["seq"]?.N) !== sequenceNr);
    if (visible.length === Items.length || left-- <= 0) return output;
    return { ...rest, Items: visible } as never;
  });
}

describe("our first writes after ten rows of the original", () => {
  let engine: Awaited<ReturnType<typeof engineFor>>;
  beforeAll(async () => {
    engine = await engineFor(options);
  });
  afterAll(() => engine.port.close());

  async function journalAfterTen(): Promise<Journal> {
    await engine.reset();
    for (const number of range(1, 10))
      await engine.port.putItem({ TableName: table, Item: originalItem(number, `a-${number}`, "akka") });
    return openJournal(engine.port, options);
  }

  test.each([1, 2, 3, 4])(
    "an atomic write whose first row %d queries do not see is replayed whole",
    async (queries) => {
      const journal = await journalAfterTen();
      await append(journal, id, [[{ payload: "a" }, { payload: "b" }, { payload: "c" }]]);
      for (const from of [1, 10, 11, 12]) {
        const reader = await openJournal(hiding(engine.port, 11, queries), options);
        expect(numbersOf(await collect(reader.replay(id, { from })))).toEqual(range(from, 13));
      }
    },
  );

  test("a single Tablekeep event that is lost is reported as damage", async () => {
    const journal = await journalAfterTen();
    await append(journal, id, [{ payload: "a" }, { payload: "b" }]);
    await engine.port.deleteItem({ TableName: table, Key: eventKey(11) as never });
    for (const bounds of [{}, { from: 10 }, { from: 11 }, { to: 11 }]) {
      const replay = collect(journal.replay(id, bounds));
      await expect(replay).rejects.toMatchObject({ code: "JOURNAL_DAMAGED", details: { sequenceNr: 11 } });
    }
    expect(numbersOf(await collect(journal.replay(id, { to: 10 })))).toEqual(range(1, 10));
  });

  test("a Tablekeep event that is lost after a half batch of the original is reported as damage", async () => {
    const journal = await journalAfterTen();
    for (const number of [11, 12]) {
      const place = { idx: { N: String(number - 11) }, cnt: { N: "29" } };
      const Item = { ...originalItem(number, "half", "akka"), ...place };
      await engine.port.putItem({ TableName: table, Item });
    }
    await append(journal, id, [{ payload: "a" }, { payload: "b" }]);
    expect(numbersOf(await collect(journal.replay(id)))).toEqual([...range(1, 10), 13, 14]);
    await engine.port.deleteItem({ TableName: table, Key: eventKey(13) as never });
    await expect(collect(journal.replay(id))).rejects.toMatchObject({
      code: "JOURNAL_DAMAGED",
      details: { sequenceNr: 13 },
    });
  });

  test.each([11, 12])("reports a Tablekeep atomic write that lost row %d as damage", async (lost) => {
    const journal = await journalAfterTen();
    await append(journal, id, [[{ payload: "a" }, { payload: "b" }, { payload: "c" }]]);
    await engine.port.deleteItem({ TableName: table, Key: eventKey(lost) as never });
    await expect(collect(journal.replay(id))).rejects.toMatchObject({ code: "JOURNAL_DAMAGED" });
    await expect(collect(journal.replay(id, { from: 13 }))).rejects.toMatchObject({
      code: "JOURNAL_DAMAGED",
    });
  });

  test("verify reports a lost Tablekeep event as a gap", async () => {
    const journal = await journalAfterTen();
    await append(journal, id, [{ payload: "a" }, { payload: "b" }]);
    await engine.port.deleteItem({ TableName: table, Key: eventKey(11) as never });
    const findings = await collect(verifyJournal(engine.port, options));
    expect(findings.filter(({ severity }) => severity !== "info")).toMatchObject([
      { kind: "gap", severity: "error", from: 11, to: 11 },
    ]);
  });
});

describe("a single Tablekeep event that is lost at a number with a high mark", () => {
  const lost = { code: "JOURNAL_DAMAGED" };

  /** The original's rows up to `last`, then our events; without the row of `missing`. */
  async function journalWithout(missing: number, last: number, ours: number) {
    const port = await engineWith(options);
    for (const number of range(1, last))
      await port.putItem({ TableName: table, Item: originalItem(number, `a-${number}`, "akka") });
    const journal = await openJournal(port, options);
    await append(
      journal,
      id,
      range(1, ours).map((at) => ({ payload: `ours ${at}` })),
    );
    await port.deleteItem({ TableName: table, Key: eventKey(missing) as never });
    return { port, journal };
  }

  test.each([1, 2])("is reported as damage, with %d Tablekeep events", async (ours) => {
    const { port, journal } = await journalWithout(100, 99, ours);
    await expect(collect(journal.replay(id))).rejects.toMatchObject({
      ...lost,
      details: { sequenceNr: 100 },
    });
    await expect(collect(journal.replay(id, { to: 100 }))).rejects.toMatchObject(lost);
    const findings = await collect(verifyJournal(port, options));
    expect(findings).toContainEqual(expect.objectContaining({ kind: "gap", severity: "error", from: 100 }));
    // A writer that continues above it does not hide it.
    await append(journal, id, [{ payload: "more" }]);
    await expect(collect(journal.replay(id))).rejects.toMatchObject(lost);
    await port.close();
  });

  test("is distinguished from an event that the original lost there", async () => {
    const port = await engineWith(options);
    for (const number of range(1, 99))
      await port.putItem({ TableName: table, Item: originalItem(number, `a-${number}`, "akka") });
    const mark = { par: { S: "journal-SH-p-1" }, num: { N: "0" }, seq: { N: "100" } };
    await port.putItem({ TableName: table, Item: mark });
    const journal = await openJournal(port, options);
    expect(numbersOf(await collect(journal.replay(id)))).toEqual(range(1, 99));
    await append(journal, id, [{ payload: "a" }, { payload: "b" }]);
    for (const to of [100, 101, undefined])
      expect(numbersOf(await collect(journal.replay(id, to === undefined ? {} : { to })))).toEqual(
        [...range(1, 99), 101, 102].filter((number) => number <= (to ?? 102)),
      );
    const findings = await collect(verifyJournal(port, options));
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    await port.deleteItem({ TableName: table, Key: eventKey(101) as never });
    await expect(collect(journal.replay(id))).rejects.toMatchObject(lost);
    await port.close();
  });
});

describe("an export and a migration", () => {
  const target: JournalOptions = { ...options, table: "copy" };

  /** Rows of the original at these numbers, without marks. */
  async function tableOf(numbers: readonly number[]) {
    const port = await engineWith(options, target);
    for (const number of numbers)
      await port.putItem({ TableName: table, Item: originalItem(number, `a-${number}`, "akka") });
    return port;
  }

  /** The codes of the errors that both end with; undefined if they succeed. */
  async function outcomes(port: DynamoPort, source: DynamoPort, persistenceId?: string) {
    const copies = [
      () => collect(exportEvents(source, options, { persistenceId })),
      () =>
        migrateJournal({
          from: { port: source, journal: options },
          to: { port, journal: target },
          persistenceId,
        }),
    ];
    const codes: unknown[] = [];
    for (const copy of copies)
      codes.push(
        await copy().then(
          () => undefined,
          (error: { code: string; details: unknown }) => [error.code, error.details],
        ),
      );
    return codes;
  }

  test.each([undefined, id])("refuse to pass over events that no mark leads to (id: %s)", async (chosen) => {
    const port = await tableOf([...range(1, 5), ...range(250, 252)]);
    const refusal = ["JOURNAL_ROWS_HIDDEN", { persistenceId: id, from: 250, to: 252 }];
    expect(await outcomes(port, port, chosen)).toEqual([refusal, refusal]);
    expect(await collect(verifyJournal(port, options))).toContainEqual(
      expect.objectContaining({ kind: "events-beyond-end", severity: "error", to: 252 }),
    );
    await collect(repairJournal(port, options, { apply: true }));
    expect(await outcomes(port, port, chosen)).toEqual([undefined, undefined]);
    const copy = await openJournal(port, target);
    expect(numbersOf(await collect(copy.replay(id)))).toEqual([...range(1, 5), ...range(250, 252)]);
    await port.close();
  });

  test.each([undefined, id])(
    "refuse to pass over an id without a mark to its first event (id: %s)",
    async (chosen) => {
      const port = await tableOf(range(101, 103));
      const refusal = ["JOURNAL_ROWS_HIDDEN", { persistenceId: id, from: 101, to: 103 }];
      expect(await outcomes(port, port, chosen)).toEqual([refusal, refusal]);
      await collect(repairJournal(port, options, { apply: true }));
      expect(await outcomes(port, port, chosen)).toEqual([undefined, undefined]);
      const copy = await openJournal(port, target);
      expect(numbersOf(await collect(copy.replay(id)))).toEqual(range(101, 103));
      await port.close();
    },
  );

  test("reject a placeholder where there is a row that the replay did not see", async () => {
    const port = await tableOf(range(1, 5));
    const refusal = ["JOURNAL_ROWS_HIDDEN", { persistenceId: id, from: 3, to: 3 }];
    expect(await outcomes(port, hiding(port, 3, 1))).toEqual([refusal, undefined]);
    expect(await outcomes(port, hiding(port, 2, 0))).toEqual([undefined, undefined]);
    await port.close();
  });
});
