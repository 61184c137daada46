import { ClientError, metered } from "@tablekeep/client";
import { type DynamoPort, type Logger, wrapPort } from "@tablekeep/core";
import { exploreInterleavings, faultyPort, stopAfterNth } from "@tablekeep/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isJournalError, type Journal, type JournalOptions, openJournal } from "../src/index.ts";
import { verifyJournal } from "../src/tools/index.ts";
import { checkCalm, engineFor, type FaultWorld, faultWorld } from "./faults/fault-world.ts";
import { persist } from "./faults/persist.ts";
import { append, collect, engineWith, itemsOf, numbersOf, range } from "./journal-world.ts";

const table = "events";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

async function engine(): Promise<DynamoPort> {
  const port = await engineWith({ table });
  open.push(port);
  return port;
}

/** Sequence numbers of the items of id `a` that hold events. */
async function itemsOfA(port: DynamoPort): Promise<number[]> {
  const items = await itemsOf(port, table);
  return items
    .filter((item) => item["par"]?.S === "journal-P-a" && item["ev"] !== undefined)
    .map((item) => Number(item["num"]?.N))
    .sort((one, other) => one - other);
}

/** Appends events one by one with one writer. */
async function appendSingles(
  journal: Awaited<ReturnType<typeof openJournal>>,
  count: number,
  payload: unknown = "text",
): Promise<void> {
  const writer = await journal.recover("a");
  for (let at = 0; at < count; at++) expect(await writer.append({ payload })).toMatchObject({ kind: "ok" });
}

test("merges the items of each group of appends, and reads only those", async () => {
  const inner = await engine();
  const froms: string[] = [];
  const port = wrapPort(inner, (operation, input, call, next) => {
    const { ExpressionAttributeValues: values = {}, ScanIndexForward } = input as {
      ExpressionAttributeValues?: Record<string, { N?: string }>;
      ScanIndexForward?: boolean;
    };
    if (operation === "Query" && ScanIndexForward !== false) froms.push(values[":from"]?.N ?? "");
    return next(operation, input, call);
  });
  const journal = await openJournal(port, { table, compactAfter: 4 });
  const writer = await journal.recover("a");
  for (let number = 1; number <= 13; number++) {
    await writer.append({ payload: number });
    await journal.idle();
  }
  expect(await itemsOfA(inner)).toEqual([1, 5, 9, 13]);
  expect(froms).toEqual(["1", "5", "9"]);
  expect(numbersOf(await collect(journal.replay("a")))).toEqual(range(1, 13));
  expect(await collect(verifyJournal(inner, { table }))).toEqual([]);
});

test("costs what docs/how-to/journal-tools.md says", async () => {
  const { port, meter } = metered(await engine(), { capacity: true });
  const journal = await openJournal(port, { table, compactAfter: 50 });
  await appendSingles(journal, 49, "x".repeat(98));
  const writer = await journal.recover("a");
  meter.reset();
  // The counter is that of a writer.
  for (let count = 0; count < 50; count++) await writer.append({ payload: "x".repeat(98) });
  await journal.idle();
  const { readUnits, writeUnits } = meter.reset().total;
  expect([readUnits, writeUnits - 50]).toEqual([4, 112]);
});

test("is off by default", async () => {
  const port = await engine();
  const journal = await openJournal(port, { table });
  await appendSingles(journal, 20);
  await journal.idle();
  expect(await itemsOfA(port)).toEqual(range(1, 20));
});

test.each([1, 0, 2.5, "4", 10_001])("rejects %j", async (compactAfter) => {
  await expect(
    openJournal(await engine(), { table, compactAfter: compactAfter as number }),
  ).rejects.toMatchObject({ code: "JOURNAL_OPTION_INVALID", details: { option: "compactAfter" } });
});

test("is rejected for a journal of another layout, even if only its record shows it", async () => {
  const port = await engine();
  await openJournal(port, { table, layout: "bucketed" });
  await expect(openJournal(port, { table, compactAfter: 4 })).rejects.toMatchObject({
    code: "JOURNAL_OPTION_INVALID",
    details: { option: "compactAfter" },
  });
});

test("large items are tried less and less often", async () => {
  const inner = await engine();
  let queries = 0;
  const port = wrapPort(inner, (operation, input, call, next) => {
    if (operation === "Query" && !("ScanIndexForward" in input)) queries++;
    return next(operation, input, call);
  });
  const journal = await openJournal(port, { table, compactAfter: 2, maxItemSize: 5_000 });
  const writer = await journal.recover("a");
  queries = 0;
  for (let number = 1; number <= 30; number++) {
    await writer.append({ payload: "x".repeat(3_000) });
    await journal.idle();
  }
  // After 2, 4, 8 and 16 appends.
  expect(queries).toBe(4);
  expect(await itemsOfA(inner)).toEqual(range(1, 30));
});

test("a failure is logged, and fails no append", async () => {
  const inner = await engine();
  const port = wrapPort(inner, (operation, input, call, next) => {
    if (operation === "TransactWriteItems" && JSON.stringify(input).includes('"into"'))
      throw new ClientError("CLIENT_CLOSED", "no", {});
    return next(operation, input, call);
  });
  const warnings: object[] = [];
  const logger: Logger = {
    debug() {},
    info() {},
    error() {},
    warn: (_message, fields = {}) => warnings.push(fields),
  };
  const journal = await openJournal(port, { table, compactAfter: 3, logger });
  await appendSingles(journal, 5);
  await journal.idle();
  expect(warnings).toMatchObject([{ persistenceId: "a", code: "CLIENT_CLOSED" }]);
  expect(numbersOf(await collect(journal.replay("a")))).toEqual(range(1, 5));
});

test("close stops it, and appends still work", async () => {
  const inner = await engine();
  let sent = 0;
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const port = wrapPort(inner, async (operation, input, call, next) => {
    if (operation === "TransactWriteItems" && JSON.stringify(input).includes('"into"')) {
      sent++;
      await gate;
    }
    return next(operation, input, call);
  });
  const journal = await openJournal(port, { table, compactAfter: 3 });
  await appendSingles(journal, 3);
  await expect.poll(() => sent).toBe(1);
  const closing = journal.close();
  release();
  await closing;
  await appendSingles(journal, 9);
  await journal.idle();
  expect(sent).toBe(1);
  expect(numbersOf(await collect(journal.replay("a")))).toEqual(range(1, 12));
});

test("merges many ids one after the other", async () => {
  const inner = await engine();
  let inFlight = 0;
  let most = 0;
  const port = wrapPort(inner, async (operation, input, call, next) => {
    const isMerge = operation === "TransactWriteItems" && JSON.stringify(input).includes('"into"');
    if (isMerge) most = Math.max(most, ++inFlight);
    try {
      return await next(operation, input, call);
    } finally {
      if (isMerge) inFlight--;
    }
  });
  const journal = await openJournal(port, { table, compactAfter: 2 });
  const ids = range(1, 30).map((number) => `id-${number}`);
  await Promise.all(
    ids.map((id) =>
      append(
        journal,
        id,
        range(1, 6).map((payload) => ({ payload })),
      ),
    ),
  );
  await journal.idle();
  expect(most).toBe(1);
  for (const id of ids) expect(numbersOf(await collect(journal.replay(id)))).toEqual(range(1, 6));
});

describe.each(["optimistic", "strict"] as const)("beside others, %s", (fencing) => {
  const variant: JournalOptions = { layout: "packed", fencing };
  let port: Awaited<ReturnType<typeof engineFor>>["port"];
  let reset: () => Promise<void>;
  beforeAll(async () => {
    ({ port, reset } = await engineFor(variant));
  });
  afterAll(() => port.close());

  const setup = async () => {
    await reset();
    const world = faultWorld(port, variant);
    await persist(await world.actor("before", port), world, [1, 2]);
    return world;
  };
  /** Appends with a compaction after every two, and waits for it. */
  const writing = async (own: DynamoPort, world: FaultWorld) => {
    const journal = await world.open(own, { compactAfter: 2 });
    let writer = await journal.recover(world.id);
    for (let count = 0; count < 5; ) {
      const outcome = await writer.append(world.texts(1).map((payload) => ({ payload })));
      if (outcome.kind === "ok") count++;
      else if (outcome.kind === "rejected") throw outcome.error;
      else writer = await journal.recover(world.id);
      await journal.idle();
    }
  };
  const reading = async (own: DynamoPort, world: FaultWorld) => {
    const journal = await world.actor("r", own);
    try {
      await journal.replay(world.id);
      await journal.highest(world.id);
    } catch (error) {
      if (!isJournalError(error, "JOURNAL_REPLAY_TRIMMED")) throw error;
    }
  };
  const sound = async (world: FaultWorld) => {
    const journal = await world.open(port);
    const numbers = numbersOf(await collect(journal.replay(world.id)));
    expect(numbers).toEqual(range(numbers[0] ?? 1, await journal.highestSequenceNr(world.id)));
    expect(await collect(verifyJournal(port, { ...variant, table }))).toEqual([]);
  };

  test("may stop at any request", async () => {
    await stopAfterNth<FaultWorld>({
      setup,
      run: writing,
      check: async (world) => {
        await sound(world);
        const writer = await (await world.open(port)).recover(world.id);
        expect(await writer.append({ payload: "next" })).toMatchObject({ kind: "ok" });
      },
    });
  });

  test("leaves all in order beside readers and deletions, in some orders of requests", async () => {
    const deleting = async (own: DynamoPort, world: FaultWorld) =>
      (await world.actor("d", own)).deleteTo(world.id, 4);
    const check = async (
      world: FaultWorld,
      results: Readonly<Record<string, PromiseSettledResult<unknown>>>,
    ) => {
      for (const [actor, result] of Object.entries(results))
        if (result.status === "rejected") throw new Error(`${actor} failed`, { cause: result.reason });
      await sound(world);
    };
    const actors = { w: writing, r: reading, d: deleting };
    await exploreInterleavings<FaultWorld>({ setup, actors, check }, { walks: 25, seed: "compact-after" });
  });

  test.each([1, 2, 3])("acknowledged events stay, with lost requests and answers (%s)", async (seed) => {
    const world = await setup();
    const faults = "faults=[{kind:lost-after-apply,p:.1},{kind:lost-before-apply,p:.1}]";
    const lossy = faultyPort(port, `seed=${seed} ${faults}`);
    const journal = await world.open(port);
    let merging: Journal | undefined;
    while (merging === undefined)
      merging = await openJournal(lossy, { ...variant, table, compactAfter: 2 }).catch(() => undefined);
    const acknowledged: string[] = [];
    for (let round = 0; round < 12; round++) {
      const [payload = ""] = world.texts(1);
      const writer = await merging.recover(world.id).catch(() => undefined);
      for (let more = 0; more < 3; more++) {
        const text = `${payload}-${more}`;
        const outcome = await writer?.append({ payload: text });
        if (outcome?.kind === "ok") acknowledged.push(text);
      }
      await merging.idle();
    }
    const texts = (await collect(journal.replay(world.id))).map(({ payload }) => payload);
    expect(texts.filter((text) => acknowledged.includes(String(text)))).toEqual(acknowledged);
    expect(acknowledged.length).toBeGreaterThan(5);
    await checkCalm(await setup(), [1, 3]);
  });
});
