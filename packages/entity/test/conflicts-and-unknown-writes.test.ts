import { type Outcome, TablekeepError } from "@tablekeep/core";
import { type Journal, JournalError, type JournalWriter, type WrittenRange } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import { counter } from "./counter.ts";
import { engineForEntities, eventsOf, openWorld, storesOn, tables, withWriters } from "./entity-world.ts";

const add = { type: "add", amount: 1 } as const;
type Told = readonly Outcome<WrittenRange>[];

/** `journal` whose appends go through `around`; `count` is the number of the append, from 1. */
function withAppends(
  journal: Journal,
  around: (count: number, append: () => Promise<Told>, writer: JournalWriter) => Promise<Told>,
): Journal {
  let count = 0;
  return withWriters(journal, (writer) =>
    Object.assign(Object.create(writer) as JournalWriter, {
      append: async (...args: Parameters<JournalWriter["append"]>) =>
        (await around(++count, async () => [await writer.append(...args)], writer))[0],
      appendEach: (...args: Parameters<JournalWriter["appendEach"]>) =>
        around(++count, () => writer.appendEach(...args), writer),
    }),
  );
}

const unknown: Told = [
  {
    kind: "unknown",
    error: new JournalError(
      "JOURNAL_OUTCOME_UNKNOWN",
      "no answer",
      { persistenceId: "counter|a", first: 1, last: 1 },
      { ambiguous: true },
    ),
  },
];

/** A host whose journal is changed by `change`; `others` is another host on the same tables. */
async function hostWith(change: (journal: Journal, others: () => Promise<unknown>) => Journal, options = {}) {
  const port = await engineForEntities();
  const { journal } = await storesOn(port);
  const other = await openWorld([counter], { port });
  const others = () => other.host.of(counter).ask("a", { type: "add", amount: 100 });
  const world = await openWorld([counter], { port, journal: change(journal, others), ...options });
  return { ...world, others, counters: world.host.of(counter), journal };
}

const amounts = async (journal: Journal) =>
  (await eventsOf(journal, "counter|a")).map(({ payload }) => (payload as { amount: number }).amount);

describe("a conflict", () => {
  test("makes the command be decided again, on the new state", async () => {
    const { counters, others, journal } = await hostWith((each) => each);
    await counters.ask("a", add);
    await others();
    expect(await counters.ask("a", add)).toMatchObject({ total: 102, sequenceNr: 3 });
    expect(await amounts(journal)).toEqual([1, 100, 1]);
  });

  test("is retried a limited number of times", async () => {
    const { counters, journal } = await hostWith(
      (each, others) =>
        withAppends(each, async (_count, append) => {
          await others();
          return append();
        }),
      { maxConflicts: 2 },
    );
    await expect(counters.ask("a", add)).rejects.toMatchObject({
      code: "ENTITY_CONFLICT",
      ambiguous: false,
      retryable: true,
      details: { attempts: 3 },
    });
    expect(await amounts(journal)).toEqual([100, 100, 100]);
  });

  test("between independent events reports how many are stored", async () => {
    const { counters, journal, host } = await hostWith((each, others) =>
      withAppends(each, async (count, append, writer) => {
        if (count > 1) return append();
        // The first event is stored, then another is faster.
        const first = await writer.append({
          payload: { type: "added", amount: 1, eventId: "x" },
          manifest: "added",
        });
        await others();
        return [first, await writer.append({ payload: { type: "added", amount: 2, eventId: "y" } })];
      }),
    );
    await expect(counters.ask("a", { type: "addAll", amounts: [1, 2], atomic: false })).rejects.toMatchObject(
      {
        code: "ENTITY_PARTLY_STORED",
        ambiguous: true,
        details: { stored: 1, of: 2 },
      },
    );
    expect(await amounts(journal)).toEqual([1, 100]);
    expect(await host.of(counter).ask("a", add)).toMatchObject({ total: 102 });
  });
});

describe("an unknown outcome", () => {
  test("of an independent event is reported although the one before it was rejected", async () => {
    const { counters, journal } = await hostWith((each) =>
      withAppends(each, async (count, append, writer) => {
        if (count > 1) return append();
        const [, second] = await writer.appendEach([
          { payload: "x".repeat(500_000) },
          { payload: { type: "added", amount: 2, eventId: "y" }, manifest: "added" },
        ]);
        expect(second.kind).toBe("ok");
        const error = new JournalError("JOURNAL_EVENT_TOO_LARGE", "too large", {
          actual: 500_000,
          maximum: 400_000,
        });
        return [{ kind: "rejected", error }, ...unknown];
      }),
    );
    await expect(counters.ask("a", { type: "addAll", amounts: [1, 2], atomic: false })).rejects.toMatchObject(
      { ambiguous: true },
    );
    expect(await amounts(journal)).toEqual([2]);
  });

  test("of an applied write gets the original reply", async () => {
    const { counters, journal } = await hostWith((each) =>
      withAppends(each, async (count, append) => {
        const reported = await append();
        return count === 1 ? unknown : reported;
      }),
    );
    const replies = await Promise.all([
      counters.ask("a", add),
      counters.ask("a", add),
      counters.ask("a", { type: "get" }),
    ]);
    expect(replies).toMatchObject([{ total: 1 }, { total: 2 }, { total: 2, events: 2 }]);
    const stored = await eventsOf(journal, "counter|a");
    expect(stored.map(({ payload }) => payload)).toMatchObject(
      replies.slice(0, 2).map((reply) => ({ eventId: (reply as { eventId: string }).eventId })),
    );
  });

  test("of a write that was not applied is decided again", async () => {
    const { counters, journal } = await hostWith((each) =>
      withAppends(each, async (count, append) => (count === 1 ? unknown : append())),
    );
    expect(await counters.ask("a", add)).toMatchObject({ total: 1 });
    expect(await amounts(journal)).toEqual([1]);
  });

  test("of a write that is applied late, before the second attempt, is detected", async () => {
    let late: (() => Promise<Told>) | undefined;
    const { counters, journal } = await hostWith((each) =>
      withAppends(each, async (count, append) => {
        if (count === 1) {
          late = append;
          return unknown;
        }
        // It is applied now, before the second attempt.
        await late?.();
        late = undefined;
        return append();
      }),
    );
    expect(await counters.ask("a", add)).toMatchObject({ total: 1, sequenceNr: 1 });
    expect(await amounts(journal)).toEqual([1]);
  });

  test("of a write whose sequence number another writer holds is decided again", async () => {
    const { counters, journal } = await hostWith((each, others) =>
      withAppends(each, async (count, append) => {
        if (count > 1) return append();
        await others();
        return unknown;
      }),
    );
    expect(await counters.ask("a", add)).toMatchObject({ total: 101 });
    expect(await amounts(journal)).toEqual([100, 1]);
  });

  test("that cannot be resolved is reported as unknown, never as failed", async () => {
    const { counters, host } = await hostWith(
      (each) => withAppends(each, async (count, append) => (count <= 3 ? unknown : append())),
      { maxConflicts: 2 },
    );
    await expect(counters.ask("a", add)).rejects.toMatchObject({
      code: "ENTITY_OUTCOME_UNKNOWN",
      ambiguous: true,
    });
    expect(await host.of(counter).ask("a", add)).toMatchObject({ total: 1 });
  });

  test("stays unknown when the next recovery fails", async () => {
    let recoveries = 0;
    const { counters } = await hostWith((each) => {
      const failing = withAppends(each, async () => unknown);
      return {
        ...failing,
        load: ((...args: Parameters<Journal["load"]>) =>
          ++recoveries > 1 ? Promise.reject(new Error("gone")) : failing.load(...args)) as Journal["load"],
      };
    });
    await expect(counters.ask("a", add)).rejects.toMatchObject({
      code: "ENTITY_OUTCOME_UNKNOWN",
      ambiguous: true,
    });
  });
});

describe("under strict fencing", () => {
  test("a superseded host returns nothing from its stale state, not even a read", async () => {
    const port = await engineForEntities();
    const journalOptions = { fencing: "strict", table: tables.events } as const;
    const first = (await openWorld([counter], { port, journalOptions })).host.of(counter);
    const second = (await openWorld([counter], { port, journalOptions })).host.of(counter);
    await first.ask("a", add);
    expect(await second.ask("a", add)).toMatchObject({ total: 2 });
    expect(await first.ask("a", { type: "get" })).toEqual({ total: 2, events: 2 });
    expect(await second.ask("a", add)).toMatchObject({ total: 3 });
    expect(await first.ask("a", add)).toMatchObject({ total: 4 });
  });
});

test("a rejected write is reported as ENTITY_NOT_STORED, and the entity continues", async () => {
  const error = new JournalError("JOURNAL_WRITER_BUSY", "busy", { persistenceId: "counter|a", waiting: 1 });
  const { counters } = await hostWith((each) =>
    withAppends(each, async (count, append) => (count === 1 ? [{ kind: "rejected", error }] : append())),
  );
  await expect(counters.ask("a", add)).rejects.toMatchObject({
    code: "ENTITY_NOT_STORED",
    cause: error,
    retryable: error.retryable,
  });
  expect(await counters.ask("a", add)).toMatchObject({ total: 1 });
});

test.each([
  [{ retryable: true, ambiguous: false }, true],
  [{ retryable: false, ambiguous: true }, true],
  [{ retryable: false, ambiguous: false }, false],
])("a recovery that fails with a cause %o is retryable: %s", async (flags, retryable) => {
  const cause = new TablekeepError({
    code: "PLANTED",
    kind: "unavailable",
    message: "planted",
    details: {},
    ...flags,
  });
  const { counters } = await hostWith((each) => ({ ...each, load: () => Promise.reject(cause) }));
  const expected = { code: "ENTITY_RECOVERY_FAILED", retryable, cause };
  await expect(counters.ask("a", add)).rejects.toMatchObject(expected);
});

test("a failed check of a read is reported as ENTITY_CHECK_FAILED, as retryable as its cause", async () => {
  const port = await engineForEntities();
  const { journal } = await storesOn(port);
  const failWith: { cause?: TablekeepError } = {};
  const failing: Journal = {
    ...journal,
    highestSequenceNr: async (...args) => {
      if (failWith.cause !== undefined) throw failWith.cause;
      return journal.highestSequenceNr(...args);
    },
  };
  const { host } = await openWorld([counter], { port, journal: failing, verifyReads: true });
  await host.of(counter).ask("a", add);
  for (const retryable of [true, false]) {
    const cause = new TablekeepError({
      code: "PLANTED",
      kind: "unavailable",
      message: "planted",
      details: {},
      retryable,
    });
    failWith.cause = cause;
    await expect(host.of(counter).ask("a", { type: "get" })).rejects.toMatchObject({
      code: "ENTITY_CHECK_FAILED",
      details: { entity: "counter", id: "a", checked: "state" },
      retryable,
      ambiguous: false,
      cause,
    });
  }
  await host.close();
});

test("every caller gets an answer when the journal throws a foreign error, and the host continues", async () => {
  const port = await engineForEntities();
  const { journal } = await storesOn(port);
  let isBroken = false;
  const breaking: Journal = {
    ...journal,
    highestSequenceNr: async (...args) => {
      if (isBroken) throw new TypeError("planted");
      return journal.highestSequenceNr(...args);
    },
  };
  const { host } = await openWorld([counter], { port, journal: breaking, verifyReads: true });
  await host.of(counter).ask("a", add);
  isBroken = true;
  const reads = [1, 2].map(() => host.of(counter).ask("a", { type: "get" }, { deadlineMs: 1_000_000 }));
  for (const read of reads)
    await expect(read).rejects.toMatchObject({ code: "ENTITY_RECOVERY_FAILED", ambiguous: false });
  isBroken = false;
  expect(await host.of(counter).ask("a", { type: "get" })).toEqual({ total: 1, events: 1 });
  await host.close();
});
