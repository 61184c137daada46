import { faultyPort } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { openJournal, unwrap } from "../src/index.ts";
import { append, collect, engineWith, layouts } from "./journal-world.ts";

const journals = layouts.flatMap((layout) =>
  (["optimistic", "strict"] as const).map((fencing) => ({ layout, fencing, table: "events" })),
);

describe.each(journals)("an append without a writer, $layout, $fencing", (options) => {
  const open = async () => {
    const port = await engineWith(options);
    const journal = await openJournal(port, options);
    const payloads = async () => (await collect(journal.replay("a"))).map(({ payload }) => payload);
    return { port, journal, payloads };
  };

  test("appends after whatever is there, unless something else is expected", async () => {
    const { journal, payloads } = await open();
    expect(unwrap(await journal.append("a", { payload: 1 }))).toEqual({ first: 1, last: 1 });
    expect(unwrap(await journal.append("a", [{ payload: 2 }, { payload: 3 }], { expected: "any" }))).toEqual({
      first: 2,
      last: 3,
    });
    expect(unwrap(await journal.append("a", { payload: 4 }, { expected: 3 }))).toEqual({ first: 4, last: 4 });
    expect(await payloads()).toEqual([1, 2, 3, 4]);
  });

  test("is a conflict with the highest number if another one is expected, and writes nothing", async () => {
    const { journal, payloads } = await open();
    const rejected = {
      kind: "conflict",
      error: { code: "JOURNAL_CONFLICT", kind: "conflict", ambiguous: false },
    };
    expect(await journal.append("a", { payload: 1 }, { expected: 2 })).toMatchObject({
      ...rejected,
      error: { ...rejected.error, details: { persistenceId: "a", first: 3, last: 3, highest: 0 } },
    });
    expect(await journal.append("a", { payload: 1 }, { expected: "none" })).toMatchObject({ kind: "ok" });
    for (const expected of ["none", 0, 2] as const)
      expect(await journal.append("a", { payload: 2 }, { expected })).toMatchObject({
        ...rejected,
        error: { ...rejected.error, details: { highest: 1 } },
      });
    expect(await payloads()).toEqual([1]);
    // Deleted events count: their numbers are not assigned again.
    await journal.deleteTo("a", 1);
    expect(await journal.append("a", { payload: 2 }, { expected: "none" })).toMatchObject({
      kind: "conflict",
    });
    expect(await journal.append("a", { payload: 2 }, { expected: 1 })).toMatchObject({ kind: "ok" });
  });

  test("a refused one does not stop the writer of the id", async () => {
    const { port, journal } = await open();
    const writer = await (await openJournal(port, options)).recover("a");
    unwrap(await writer.append({ payload: 1 }));
    expect(await journal.append("a", { payload: 2 }, { expected: 5 })).toMatchObject({ kind: "conflict" });
    expect(await writer.append({ payload: 2 })).toMatchObject({ kind: "ok" });
    // One that is stored does.
    expect(await journal.append("a", { payload: 3 }, { expected: 2 })).toMatchObject({ kind: "ok" });
    expect(await writer.append({ payload: 4 })).toMatchObject({ kind: "conflict" });
    // Nothing more is sent for a writer after its conflict.
    expect(await writer.append({ payload: 5 })).toMatchObject({
      kind: "rejected",
      error: { code: "JOURNAL_WRITER_ENDED", kind: "closed", details: { persistenceId: "a" } },
    });
  });

  test("many at once are stored one after the other, and of those that expect the same one is", async () => {
    const { journal, payloads } = await open();
    const numbers = Array.from({ length: 30 }, (_unused, at) => at);
    const outcomes = await Promise.all(numbers.map((payload) => journal.append("a", { payload })));
    expect(outcomes.map((outcome) => unwrap(outcome).first)).toEqual(numbers.map((at) => at + 1));
    expect(await payloads()).toEqual(numbers);
    const rivals = await Promise.all(
      numbers.slice(0, 8).map((payload) => journal.append("a", { payload }, { expected: 30 })),
    );
    expect(rivals.map(({ kind }) => kind).sort()).toEqual([...Array(7).fill("conflict"), "ok"]);
  });

  test("writes items of the caller in the same transaction, or nothing", async () => {
    const { port, journal } = await open();
    await append(journal, "b", [{ payload: 0 }]);
    const [Item] = (await port.scan({ TableName: "events", Limit: 1 })).Items ?? [];
    const key = Object.fromEntries(
      Object.entries(Item ?? {}).filter(([name]) => ["par", "num", "pid", "seq", "key"].includes(name)),
    );
    const check = (ConditionExpression: string) => [
      { ConditionCheck: { TableName: "events", Key: key, ConditionExpression } },
    ];
    const missing = check("attribute_exists(nothing)");
    expect(await journal.append("a", { payload: 1 }, { alsoWrite: missing })).toMatchObject({
      kind: "rejected",
      error: { code: "JOURNAL_ALSO_WRITE_REJECTED" },
    });
    const present = check("attribute_not_exists(nothing)");
    expect(await journal.append("a", { payload: 1 }, { alsoWrite: present, expected: 0 })).toMatchObject({
      kind: "ok",
    });
  });

  test("is rejected if the position cannot be read, and unknown only if the events may be stored", async () => {
    const { port } = await open();
    const refused = "kind:refuse,exception:AccessDeniedException,times:1";
    const positionRead = options.layout === "packed" ? "Query" : "BatchGetItem";
    const faulty = faultyPort(port, `seed=1 faults=[{op:${positionRead},${refused}}]`);
    const journal = await openJournal(faulty, options);
    expect(await journal.append("a", { payload: 1 })).toMatchObject({
      kind: "rejected",
      error: { ambiguous: false },
    });
    expect(await journal.append("a", { payload: 1 }, { expected: "none" })).toMatchObject({ kind: "ok" });
  });

  test("an event that cannot be stored is rejected", async () => {
    const { journal, payloads } = await open();
    expect(await journal.append("a", [])).toMatchObject({
      kind: "rejected",
      error: { code: "JOURNAL_EVENT_INVALID" },
    });
    expect(await journal.append("a", { payload: () => 1 })).toMatchObject({ kind: "rejected" });
    expect(await payloads()).toEqual([]);
  });
});

test("more than 1,000 appends of one id at once are rejected, and the queue empties", async () => {
  const options = { layout: "packed", table: "events" } as const;
  const journal = await openJournal(await engineWith(options), options);
  const appends = Array.from({ length: 1003 }, (_unused, at) => journal.append("a", { payload: at }));
  const outcomes = await Promise.all(appends);
  expect(outcomes.slice(0, 1000).every(({ kind }) => kind === "ok")).toBe(true);
  for (const outcome of outcomes.slice(1000))
    expect(outcome).toMatchObject({ kind: "rejected", error: { code: "JOURNAL_WRITER_BUSY" } });
  expect(await journal.append("a", { payload: "later" })).toMatchObject({
    kind: "ok",
    value: { first: 1001 },
  });
});
