import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureTable } from "@tablekeep/client";
import { type LogFields, mayWrite, type OperationName, silentLogger, wrapPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { defineEntity, openEntities } from "@tablekeep/entity";
import { type Journal, journalTableSpec, openJournal, openSnapshots } from "@tablekeep/journal";
import { fakeClock } from "@tablekeep/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleModule } from "../../../test/entities/bundle-module.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { type EntityFolds, openEntityFolds } from "./entity-folds.ts";

const folder = tempFolder();
let engine: Engine;
let journal: Journal;
let path: string;
let folds: EntityFolds;
const requests: OperationName[] = [];
const printed: (LogFields | undefined)[] = [];
/** Called before each request of the thread. */
let onRequest: (operation: OperationName) => Promise<void> = async () => {};

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  path = await bundleModule(folder);
  engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, journalTableSpec());
  journal = await openJournal(engine);
  const port = wrapPort(engine, async (operation, input, options, next) => {
    requests.push(operation);
    expect(mayWrite(operation, input)).toBe(false);
    await onRequest(operation);
    return next(operation, input, options);
  });
  const logger = { ...silentLogger, info: (_: string, fields?: LogFields) => void printed.push(fields) };
  folds = await openEntityFolds({ path, port, clock: fakeClock(), logger });
});
afterAll(async () => {
  await folds?.close();
  await engine?.close();
});

const never = new AbortController().signal;
const stateOf = async (persistenceId: string, sequenceNr?: number, signal = never) => {
  const folded = await folds.stateOf(
    { journal: {}, snapshotTable: undefined, persistenceId, sequenceNr },
    signal,
  );
  return { ...folded, state: JSON.parse(folded.state) as unknown };
};
const append = async (id: string, ...payloads: readonly object[]) => {
  const writer = await journal.recover(id);
  for (const payload of payloads) await writer.append({ payload, manifest: "x" });
};

test("rebuilds states by the definitions, with older events converted, and writes nothing", async () => {
  expect(folds.types).toEqual(["account", "parcel", "broken"]);
  const writer = await journal.recover("account|ann");
  await writer.append({ payload: { type: "deposited", coins: 2 }, manifest: "deposited" });
  await writer.append({ payload: { type: "deposited", cents: 5 }, manifest: "deposited@2" });
  const before = await engine.scan({ TableName: "events" });
  const states = [
    { owner: "ann", cents: 0, deposits: 0 },
    { owner: "ann", cents: 200, deposits: 1 },
    { owner: "ann", cents: 205, deposits: 2 },
  ];
  for (const [at, state] of states.entries())
    expect(await stateOf("account|ann", at)).toEqual({ entity: "account", id: "ann", sequenceNr: at, state });
  expect(await stateOf("account|ann")).toMatchObject({ sequenceNr: 2, state: states[2] });
  expect(await stateOf("account|ann", 9)).toMatchObject({ sequenceNr: 2, state: states[2] });
  expect(await engine.scan({ TableName: "events" })).toEqual(before);
  expect(requests.length).toBeGreaterThan(4);
});

test("rebuilds states of a table without the record of a journal, as Akka plugins leave it", async () => {
  const options = { table: "akka", layout: "bucketed", akka: "none" } as const;
  await ensureTable(engine, journalTableSpec(options));
  const written = await openJournal(engine, options);
  await written.append("account|eve", {
    payload: { type: "deposited", cents: 7 },
    manifest: "deposited@2",
  });
  const Key = { par: { S: "journal-M" }, num: { N: "0" } };
  await engine.deleteItem({ TableName: "akka", Key });
  const request = { journal: { table: "akka" }, snapshotTable: undefined, persistenceId: "account|eve" };
  const { state, sequenceNr } = await folds.stateOf({ ...request, sequenceNr: undefined }, never);
  expect([JSON.parse(state), sequenceNr]).toEqual([{ owner: "eve", cents: 7, deposits: 1 }, 1]);
  expect(await engine.getItem({ TableName: "akka", Key })).not.toHaveProperty("Item");
});

test("starts from snapshots of an older version of the state, even where the events are deleted", async () => {
  const old = defineEntity({
    type: "account",
    initial: (id) => ({ owner: id, cents: 0 }),
    decide: (command: { type: "deposit"; coins: number }) => ({
      events: { type: "deposited" as const, coins: command.coins },
    }),
    evolve: (state: { owner: string; cents: number }, event: { type: "deposited"; coins: number }) => ({
      ...state,
      cents: state.cents + event.coins * 100,
    }),
    snapshotEvery: 2,
  });
  const snapshots = await openSnapshots(engine, { journal });
  const host = await openEntities({ journal, snapshots, entities: [old], keepSnapshots: 1 });
  for (let coins = 1; coins <= 3; coins++) {
    await host.of(old).ask("ben", { type: "deposit", coins });
    await host.idle();
  }
  await host.of(old).deleteEvents("ben", 2);
  await host.close();
  // The snapshot after event 2 has 300 cents, and is converted; event 3 is applied to it.
  expect(await stateOf("account|ben", 2)).toMatchObject({
    state: { owner: "ben", cents: 300, deposits: -1 },
  });
  expect(await stateOf("account|ben")).toMatchObject({ sequenceNr: 3, state: { cents: 600, deposits: 0 } });
  await expect(stateOf("account|ben", 1)).rejects.toMatchObject({ code: "ENTITY_HISTORY_DELETED" });
});

test("finds entities by their own form of persistence ids, and shows large integers and bytes as text", async () => {
  await append("parcels/7/b", { type: "weighed", grams: 200 });
  expect(await stateOf("parcels/7/b")).toEqual({
    entity: "parcel",
    id: "7/b",
    sequenceNr: 1,
    state: { weight: "200", label: "yA==" },
  });
  for (const id of ["cart|1", "parcel|1", "account", "account|"])
    await expect(stateOf(id)).rejects.toMatchObject({ code: "SERVER_ENTITY_UNKNOWN", kind: "not-found" });
});

test("reports errors of the definitions, and logs what they print", async () => {
  await append("broken|1", { type: "fine" }, { type: "throw" });
  await expect(stateOf("broken|1")).rejects.toMatchObject({
    code: "ENTITY_EVOLVE_FAILED",
    message: expect.stringContaining("TypeError: no such fruit"),
    details: { entity: "broken", id: "1", sequenceNr: 2 },
  });
  expect(await stateOf("broken|1", 1)).toMatchObject({ state: 1 });
  await append("broken|2", { type: "print" });
  expect(await stateOf("broken|2")).toMatchObject({ state: 1 });
  await expect.poll(() => printed).toContainEqual({ text: "evolved\n" });
  await append("broken|3", { type: "large" });
  await expect(stateOf("broken|3")).rejects.toMatchObject({
    code: "SERVER_FOLD_STOPPED",
    details: { problem: "too-large" },
  });
});

test("continues after a definition has ended the thread", async () => {
  await append("broken|4", { type: "exit" });
  await expect(stateOf("broken|4")).rejects.toMatchObject({
    code: "SERVER_FOLD_STOPPED",
    details: { problem: "ended" },
  });
  expect(await stateOf("account|ann", 1)).toMatchObject({ state: { cents: 200 } });
});

test("stops a definition that does not end, and serves those that wait", async () => {
  await append("broken|5", { type: "loop" });
  const clock = fakeClock();
  const own = await openEntityFolds({ path, port: engine, clock, logger: silentLogger });
  try {
    const wanted = { journal: {}, snapshotTable: undefined, sequenceNr: undefined };
    const stuck = own.stateOf({ ...wanted, persistenceId: "broken|5" }, never);
    const outcome = stuck.catch((error: unknown) => error);
    const next = own.stateOf({ ...wanted, persistenceId: "account|ann" }, never);
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(20_000);
    expect(await outcome).toMatchObject({
      code: "SERVER_FOLD_STOPPED",
      details: { problem: "too-slow" },
    });
    expect(await next).toMatchObject({ sequenceNr: 2 });
  } finally {
    await own.close();
  }
});

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

test("an aborted request ends its reads, and one that waits is never read", async () => {
  const [reached, held] = [gate(), gate()];
  onRequest = async () => {
    reached.open();
    await held.opened;
  };
  const [first, second] = [new AbortController(), new AbortController()];
  const running = stateOf("account|ann", 1, first.signal).catch((error: unknown) => error);
  const waiting = stateOf("account|ann", 2, second.signal).catch((error: unknown) => error);
  await reached.opened;
  first.abort();
  second.abort();
  const sent = requests.length;
  held.open();
  expect(await running).toMatchObject({ code: expect.stringMatching(/./) });
  expect(await waiting).toMatchObject({ code: "SERVER_FOLD_STOPPED", details: { problem: "closed" } });
  expect(requests.length).toBe(sent);
  onRequest = async () => {};
  expect(await stateOf("account|ann", 1)).toMatchObject({ state: { cents: 200 } });
});

test("rejects requests beyond its queue", async () => {
  const all = Array.from({ length: 32 }, (_, at) => stateOf("account|ann", at % 3));
  await expect(stateOf("account|ann")).rejects.toMatchObject({
    code: "SERVER_FOLDS_BUSY",
    kind: "throttled",
    retryable: true,
  });
  expect((await Promise.all(all)).map(({ sequenceNr }) => sequenceNr)).toEqual(all.map((_, at) => at % 3));
  expect(await stateOf("account|ann")).toMatchObject({ sequenceNr: 2 });
});

test.each([
  ["missing.mjs", undefined, /missing\.mjs/],
  ["throws.mjs", "throw new Error('no database')", /no database/],
  ["empty.mjs", "export const a = 1, b = null, c = { type: 'x' }", /must export a definition/],
  ["syntax.mjs", "export const = 1", /./],
])("rejects the module %s", async (name, source, reason) => {
  const module = join(folder, name);
  if (source !== undefined) writeFileSync(module, source);
  const opening = openEntityFolds({ path: module, port: engine, clock: fakeClock(), logger: silentLogger });
  await expect(opening).rejects.toMatchObject({
    code: "SERVER_ENTITIES_INVALID",
    details: { reason: expect.stringMatching(reason) },
  });
});

test("rejects two definitions of one type, and accepts one that is exported twice", async () => {
  const module = join(folder, "twice.mjs");
  const open = () =>
    openEntityFolds({ path: module, port: engine, clock: fakeClock(), logger: silentLogger });
  writeFileSync(module, `export { account as a, account as b } from ${JSON.stringify(path)};`);
  const opened = await open();
  expect(opened.types).toEqual(["account"]);
  await opened.close();
  const other = join(folder, "other.mjs");
  writeFileSync(
    other,
    `import { account } from ${JSON.stringify(path)}; export const a = account, b = { ...account };`,
  );
  await expect(
    openEntityFolds({ path: other, port: engine, clock: fakeClock(), logger: silentLogger }),
  ).rejects.toMatchObject({
    details: { reason: expect.stringContaining("two definitions of type account") },
  });
});
