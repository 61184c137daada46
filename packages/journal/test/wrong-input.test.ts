import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Journal,
  type JournalOptions,
  type JournalWriter,
  journalTableSpec,
  type NewEvent,
  openJournal,
  openJournalReader,
  openSnapshots,
  snapshotTableSpec,
} from "../src/index.ts";
import { openScatteredMessages } from "../src/tools/index.ts";

const layouts: readonly JournalOptions[] = [
  { layout: "packed", table: "packed" },
  { layout: "bucketed", table: "bucketed" },
  { layout: "linear", table: "linear" },
  { layout: "scattered", table: "scattered", sequenceShards: 5 },
];

let engine: DynamoPort;
let port: DynamoPort;
let requests = 0;
beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  for (const options of layouts) await ensureTable(engine, journalTableSpec(options));
  await ensureTable(engine, snapshotTableSpec("snapshots"));
  port = wrapPort(engine, (operation, input, options, next) => {
    requests++;
    return next(operation, input, options);
  });
});

/** What one call does with an id, a number and options; it must refuse each that is wrong. */
type Call = (id: string, number: number, options: object) => unknown;

interface PublicCall {
  readonly call: Call;
  /** Whether it accepts an id and a sequence number beside its options. */
  readonly takes: readonly ("id" | "number")[];
  /** Options that bound what is read. */
  readonly bounds?: readonly string[];
}

/** Awaits what a call returns, and the first element of what it lists. */
async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    const given = await call();
    const list = given as Partial<AsyncIterable<unknown>> | undefined;
    if (typeof list?.[Symbol.asyncIterator] === "function")
      for await (const _each of given as AsyncIterable<unknown>) break;
    return "accepted";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

const replayBounds = ["from", "to", "max"];
const idOnly = { takes: ["id"] } as const;

/** Every function of a journal that has parameters. */
const journalCalls = (journal: Journal): Record<string, PublicCall> => ({
  recover: { ...idOnly, call: (id, _number, options) => journal.recover(id, options) },
  append: {
    ...idOnly,
    bounds: ["expected"],
    call: (id, _number, options) => journal.append(id, { payload: 1 }, options),
  },
  load: { ...idOnly, bounds: ["from"], call: (id, _number, options) => journal.load(id, options) },
  replay: { ...idOnly, bounds: replayBounds, call: (id, _number, options) => journal.replay(id, options) },
  highestSequenceNr: { ...idOnly, call: (id, _number, options) => journal.highestSequenceNr(id, options) },
  lowestSequenceNr: { ...idOnly, call: (id, _number, options) => journal.lowestSequenceNr(id, options) },
  listAll: { ...idOnly, call: (id, _number, options) => journal.listAll(id, options) },
  deleteTo: { takes: ["id", "number"], call: (id, number, options) => journal.deleteTo(id, number, options) },
  purge: { ...idOnly, call: (id, _number, options) => journal.purge(id, options) },
  currentPersistenceIds: {
    takes: [],
    call: (_id, _number, options) => journal.currentPersistenceIds(options),
  },
  persistenceIds: {
    takes: [],
    call: (_id, _number, options) => journal.persistenceIds({ signal: AbortSignal.abort(), ...options }),
  },
  eventsById: {
    ...idOnly,
    bounds: replayBounds,
    call: (id, _number, options) => journal.eventsById(id, { signal: AbortSignal.abort(), ...options }),
  },
});

const criteria = ["minSequenceNr", "maxSequenceNr", "minTimestamp", "maxTimestamp"];
const split = (options: object): [object, object] => {
  const entries = Object.entries(options);
  const isCriterion = ([name]: [string, unknown]) => criteria.includes(name);
  return [
    Object.fromEntries(entries.filter(isCriterion)),
    Object.fromEntries(entries.filter((entry) => !isCriterion(entry))),
  ];
};

const snapshotCalls = (snapshots: Awaited<ReturnType<typeof openSnapshots>>): Record<string, PublicCall> => ({
  save: { takes: ["id", "number"], call: (id, number, options) => snapshots.save(id, number, 1, options) },
  load: {
    ...idOnly,
    bounds: criteria,
    call: (id, _number, options) => snapshots.load(id, ...split(options)),
  },
  delete: { takes: ["id", "number"], call: (id, number, options) => snapshots.delete(id, number, options) },
  deleteMany: {
    ...idOnly,
    bounds: criteria,
    call: (id, _number, options) => snapshots.deleteMany(id, ...split(options)),
  },
  keepNewest: {
    takes: ["id", "number"],
    call: (id, number, options) => snapshots.keepNewest(id, number, options),
  },
  list: {
    ...idOnly,
    bounds: criteria,
    call: (id, _number, options) => snapshots.list(id, ...split(options)),
  },
  collectGarbage: { ...idOnly, call: (id, _number, options) => snapshots.collectGarbage(id, options) },
});

const badText = fc.oneof(
  fc.constant(""),
  // Half of a surrogate pair, anywhere.
  fc
    .tuple(fc.string(), fc.integer({ min: 0xd800, max: 0xdfff }), fc.string({ unit: "grapheme-ascii" }))
    .map(([before, half, after]) => `${before}${String.fromCharCode(half)}${after}`)
    .filter((text) => /\p{Surrogate}/u.test(text)),
  // More bytes than a key has; some of them in fewer characters than that.
  fc.integer({ min: 2_049, max: 5_000 }).map((length) => "x".repeat(length)),
  fc.integer({ min: 700, max: 1_000 }).map((length) => "€".repeat(length)),
  fc.constantFrom<unknown>(undefined, null, 5, {}, ["a"]).map((value) => value as string),
);

const badNumber = fc.oneof(
  fc.constantFrom<unknown>(Number.NaN, Number.NEGATIVE_INFINITY, 2 ** 53, "3", null, {}),
  fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
  fc.integer({ max: -2 }),
);

const badOption = fc.constantFrom<object>(
  { form: 3 },
  { sinceSequenceNr: 1 },
  { deadlineMs: "soon" },
  { deadlineMs: Number.NaN },
  { signal: {} },
  { __proto__x: 1 },
);

async function refuses(call: () => unknown): Promise<void> {
  const before = requests;
  expect(await outcomeOf(call)).toBe("JOURNAL_OPTION_INVALID");
  expect(requests).toBe(before);
}

/** Each call with something wrong, and everything else right. */
async function checkRefusals(calls: Readonly<Record<string, PublicCall>>): Promise<void> {
  const all = fc.constantFrom(...Object.entries(calls));
  await fc.assert(
    fc.asyncProperty(
      all,
      badText,
      badNumber,
      badOption,
      async ([name, { call, takes, bounds = [] }], id, number, option) => {
        const bad = number as number;
        if (takes.includes("id")) await refuses(() => call(id, 1, {}));
        if (takes.includes("number")) await refuses(() => call("a", bad, {}));
        for (const bound of bounds) await refuses(() => call("a", 1, { [bound]: bad }));
        if (Object.keys(option)[0] === "deadlineMs" && name.endsWith("ersistenceIds")) return;
        await refuses(() => call("a", 1, option));
      },
    ),
    { numRuns: 200 },
  );
}

describe.each(layouts)("a journal in the $layout layout", (options) => {
  test("rejects every wrong id, bound and option of every call, and sends nothing", async () => {
    const journal = await openJournal(port, options);
    const calls = journalCalls(journal);
    const functions = Object.entries(journal).filter(([, value]) => typeof value === "function");
    expect([...Object.keys(calls), "idle", "close"].sort()).toEqual(functions.map(([name]) => name).sort());
    await checkRefusals(calls);
    const reader = await openJournalReader(port, options);
    await checkRefusals(
      Object.fromEntries(
        Object.entries(journalCalls(reader as Journal)).filter(([name]) => Object.hasOwn(reader, name)),
      ),
    );
  });

  test("accepts the longest id whose keys fit, and rejects one byte more", async () => {
    const journal = await openJournal(port, options);
    const accepted = async (length: number) =>
      (await outcomeOf(() => journal.recover("i".repeat(length)))) === "accepted";
    let longest = 2_048;
    while (!(await accepted(longest))) longest--;
    const id = "i".repeat(longest);
    const writer: JournalWriter = await journal.recover(id);
    expect(await writer.append({ payload: 1 })).toMatchObject({ kind: "ok" });
    const payloads: unknown[] = [];
    for await (const { payload } of journal.replay(id)) payloads.push(payload);
    expect(payloads).toEqual([1]);
    expect(longest).toBeGreaterThan(2_000);
    expect(await accepted(longest + 1)).toBe(false);
  });

  test("rejects wrong options of an append, and writes nothing", async () => {
    const journal = await openJournal(port, options);
    const writer = await journal.recover("append");
    for (const wrong of [
      { alsoWrites: [] },
      { alsoWrite: {} },
      { alsoWrite: [null] },
      { deadlineMs: -1 },
      { signal: 1 },
    ] as object[])
      await refuses(() => writer.append({ payload: 1 }, wrong));
    expect(await journal.highestSequenceNr("append")).toBe(0);
  });
});

test.each<[string, object]>([
  ["tags", { tags: [1] }],
  ["tags", { tags: "red" }],
  ["manifest", { manifest: 5 }],
  ["serializerManifest", { serializerManifest: 5 }],
  ["sender", { sender: {} }],
  ["timestamp", { timestamp: new Date() }],
])("rejects an event with wrong %s, %o, and names the member", async (field, wrong) => {
  for (const options of layouts) {
    const journal = await openJournal(port, options);
    const event = { payload: { a: 1 }, ...wrong } as unknown as NewEvent;
    const outcome = await journal.append("members", event);
    expect(outcome).toMatchObject({
      kind: "rejected",
      error: { code: "JOURNAL_EVENT_INVALID", details: { field } },
    });
  }
});

test("snapshots reject every wrong id, sequence number, bound and option of every call, and send nothing", async () => {
  const snapshots = await openSnapshots(port, { table: "snapshots" });
  const calls = snapshotCalls(snapshots);
  const functions = Object.entries(snapshots).filter(([, value]) => typeof value === "function");
  expect([...Object.keys(calls), "idle", "close"].sort()).toEqual(functions.map(([name]) => name).sort());
  await checkRefusals(calls);
});

test("scattered messages reject every wrong id, sequence number, bound and option of every call, and send nothing", async () => {
  const messages = await openScatteredMessages(port, { table: "scattered", sequenceShards: 5 });
  const calls: Record<string, PublicCall> = {
    confirm: {
      takes: ["id", "number"],
      call: (id, number, options) => messages.confirm(id, number, "c", options),
    },
    deleteMessage: {
      takes: ["id", "number"],
      call: (id, number, options) => messages.deleteMessage(id, number, options),
    },
    deleteMessagesTo: {
      takes: ["id", "number"],
      call: (id, number, options) => messages.deleteMessagesTo(id, number, options),
    },
    messages: {
      ...idOnly,
      bounds: replayBounds,
      call: (id, _number, options) => messages.messages(id, options),
    },
  };
  expect(Object.keys(calls).sort()).toEqual(Object.keys(messages).sort());
  await checkRefusals(calls);
});

test("two ids never share a journal", async () => {
  const journal = await openJournal(port, { table: "bucketed" });
  const ids = ["s\ud800", "s\ud801", "s\ufffd"];
  expect(await Promise.all(ids.map((id) => outcomeOf(() => journal.recover(id))))).toEqual([
    "JOURNAL_OPTION_INVALID",
    "JOURNAL_OPTION_INVALID",
    "accepted",
  ]);
});
