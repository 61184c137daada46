import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { isEntityError } from "../src/index.ts";
import { counter } from "./counter.ts";
import { engineForEntities, openWorld, storesOn, withWriters } from "./entity-world.ts";

const add = { type: "add", amount: 1 } as const;

/** A promise and its resolver. */
function gate(): { promise: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** A world whose appends wait for the gate, and which counts concurrent appends. */
async function gated(options = {}) {
  const port = await engineForEntities();
  const { journal } = await storesOn(port);
  const door = gate();
  const counts = { underWay: 0, most: 0, appends: 0 };
  const slow = withWriters(journal, (writer) => ({
    get highestSequenceNr() {
      return writer.highestSequenceNr;
    },
    lowestSequenceNr: writer.lowestSequenceNr,
    persistenceId: writer.persistenceId,
    writerUuid: writer.writerUuid,
    appendEach: writer.appendEach,
    async append(...args) {
      counts.appends++;
      counts.most = Math.max(counts.most, ++counts.underWay);
      await door.promise;
      counts.underWay--;
      return writer.append(...args);
    },
  }));
  return { ...(await openWorld([counter], { port, journal: slow, ...options })), door, counts };
}

/** Runs everything that is ready. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("a host", () => {
  test("runs different entities at the same time, up to its limit", async () => {
    const { host, door, counts } = await gated({ maxConcurrent: 3 });
    const asks = ["a", "b", "c", "d", "e"].map((id) => host.of(counter).ask(id, add));
    await expect.poll(() => counts).toMatchObject({ underWay: 3, appends: 3 });
    door.open();
    await Promise.all(asks);
    expect(counts.most).toBe(3);
  });

  test("runs one turn of an entity at a time, and groups what waits", async () => {
    const { host, door, counts } = await gated();
    const first = host.of(counter).ask("a", add);
    await expect.poll(() => counts.underWay).toBe(1);
    const others = Array.from({ length: 10 }, () => host.of(counter).ask("a", add));
    await settle();
    expect(counts).toMatchObject({ underWay: 1, appends: 1 });
    door.open();
    await Promise.all([first, ...others]);
    expect(counts).toMatchObject({ most: 1, appends: 2 });
  });

  test("writes each command alone when maxGroup is 1", async () => {
    const { host, door, counts } = await gated({ maxGroup: 1 });
    door.open();
    await Promise.all(Array.from({ length: 10 }, () => host.of(counter).ask("a", add)));
    expect(counts.appends).toBe(10);
  });

  test("limits waiting commands", async () => {
    const { host, door, counts } = await gated({ maxQueue: 2, maxPending: 4 });
    const code = (ask: Promise<unknown>) =>
      ask.then(
        () => "ok",
        (error: { code: string }) => error.code,
      );
    const first = code(host.of(counter).ask("a", add));
    await expect.poll(() => counts.underWay).toBe(1);
    const more = [1, 2, 3].map(() => code(host.of(counter).ask("a", add)));
    const others = ["b", "c"].map((id) => code(host.of(counter).ask(id, add)));
    await settle();
    door.open();
    expect(await Promise.all([first, ...more, ...others])).toEqual([
      "ok",
      "ok",
      "ok",
      "ENTITY_BUSY",
      "ok",
      "ENTITY_BUSY",
    ]);
  });

  test("answers more commands at once than a function can have arguments", async () => {
    const count = 130_000;
    const port = await engineForEntities();
    const { journal } = await storesOn(port);
    const broken = { ...journal, load: () => Promise.reject(new TypeError("broken")) };
    const { host } = await openWorld([counter], {
      port,
      journal: broken,
      maxQueue: count,
      maxPending: count,
      deadlineMs: 60_000,
    });
    const answers = await Promise.allSettled(
      Array.from({ length: count }, () => host.of(counter).ask("a", { type: "get" })),
    );
    expect(answers.every(({ status }) => status === "rejected")).toBe(true);
  });

  test("ends an ask at its deadline or signal, and reports whether it may be carried out", async () => {
    const clock = fakeClock();
    const { host, door, counts } = await gated({ clock });
    const errorOf = async (ask: Promise<unknown>) =>
      ask.then(
        () => undefined,
        (error: unknown) => error,
      );
    const controller = new AbortController();
    const writing = errorOf(host.of(counter).ask("a", add, { deadlineMs: 6_000 }));
    const alsoWriting = errorOf(host.of(counter).ask("b", add, { signal: controller.signal }));
    await expect.poll(() => counts.underWay).toBe(2);
    const waiting = errorOf(host.of(counter).ask("a", add, { deadlineMs: 3_000 }));
    const alsoWaiting = errorOf(host.of(counter).ask("a", add, { signal: controller.signal }));
    controller.abort(new Error("enough"));
    await clock.advance(3_000);
    expect(await waiting).toMatchObject({ code: "ENTITY_DEADLINE_EXCEEDED", ambiguous: false });
    expect(await alsoWaiting).toMatchObject({ code: "ENTITY_ABORTED", ambiguous: false });
    await clock.advance(3_000);
    expect(await writing).toMatchObject({ code: "ENTITY_DEADLINE_EXCEEDED", ambiguous: true });
    expect(await alsoWriting).toMatchObject({ code: "ENTITY_ABORTED", ambiguous: true });
    expect(await errorOf(host.of(counter).ask("a", add, { signal: controller.signal }))).toMatchObject({
      code: "ENTITY_ABORTED",
      ambiguous: false,
    });
    door.open();
    await host.idle();
    // The first was written after all; those that waited were not.
    expect(await host.of(counter).ask("a", { type: "get" })).toEqual({ total: 1, events: 1 });
  });

  test("carries out accepted commands on close, and rejects new ones", async () => {
    const { host, door } = await gated({ snapshotEvery: 1 });
    const asks = ["a", "a", "b"].map((id) => host.of(counter).ask(id, add));
    await settle();
    const closing = host.close();
    const late = await host
      .of(counter)
      .ask("a", add)
      .catch((error: unknown) => error);
    expect(isEntityError(late, "ENTITY_HOST_CLOSED")).toBe(true);
    door.open();
    await closing;
    expect((await Promise.allSettled(asks)).map(({ status }) => status)).toEqual(Array(3).fill("fulfilled"));
    await host.close();
  });

  test("removes idle entities from memory, and recovers them on the next command", async () => {
    const clock = fakeClock();
    const { host } = await openWorld([counter], { clock, journalOptions: { clock }, passivateAfterMs: 1000 });
    for (const id of ["a", "b", "c"]) await host.of(counter).ask(id, add);
    await clock.advance(800);
    await host.of(counter).ask("a", add);
    expect(host.loaded).toBe(3);
    await clock.advance(800);
    expect(host.loaded).toBe(1);
    await clock.advance(2000);
    expect(host.loaded).toBe(0);
    expect(clock.pending).toBe(0);
    expect(await host.of(counter).ask("a", { type: "get" })).toEqual({ total: 2, events: 2 });
  });

  test("keeps no more entities than allowed", async () => {
    const { host } = await openWorld([counter], { maxLoaded: 10 });
    for (let at = 0; at < 50; at++) await host.of(counter).ask(`e-${at}`, add);
    expect(host.loaded).toBeLessThanOrEqual(10);
    expect(await host.of(counter).ask("e-0", add)).toMatchObject({ total: 2 });
  });

  test("stores independent events one by one, and applies all of them", async () => {
    const { host, stores } = await openWorld([counter]);
    const [before, several, after] = await Promise.all([
      host.of(counter).ask("a", add),
      host.of(counter).ask("a", { type: "addAll", amounts: [1, 2, 3], atomic: false }),
      host.of(counter).ask("a", add),
    ]);
    expect([before, several, after]).toMatchObject([{ total: 1 }, { total: 7 }, { total: 8 }]);
    expect(await host.of(counter).ask("a", { type: "addAll", amounts: [1, 1] })).toEqual({ total: 10 });
    expect(await stores.journal.highestSequenceNr("counter|a")).toBe(7);
  });

  test("stores a decision with more events than a transaction can have, and its reply", async () => {
    const { host, stores } = await openWorld([counter]);
    const many = { type: "addAll", amounts: Array.from({ length: 150 }, () => 1) } as const;
    expect(await host.of(counter).ask("a", many, { commandId: "many" })).toEqual({ total: 150 });
    expect(await host.of(counter).ask("a", many, { commandId: "many" })).toEqual({ total: 150 });
    expect(await stores.journal.highestSequenceNr("counter|a")).toBe(150);
    expect(await host.of(counter).stateAt("a", { sequenceNr: 77 })).toMatchObject({ state: { total: 77 } });
  });
});
