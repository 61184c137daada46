import { type DynamoPort, sleep, wrapPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ShadowWorld, shadowWorld } from "../../test/shadow-world.ts";
import { openShadowManager } from "../index.ts";

let world: ShadowWorld;
beforeEach(async () => {
  world = await shadowWorld();
});
afterEach(() => world.engine.close());

/** A port whose requests wait until it is opened, and how many came. */
function closedPort(port: DynamoPort) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const came: string[] = [];
  const closed = wrapPort(port, async (operation, input, options, next) => {
    came.push(operation);
    await opened;
    return next(operation, input, options);
  });
  return { port: closed, came, open: () => open() };
}

describe("a request queued behind others for its shadow", () => {
  test("ends at its deadline and by its signal, and is never carried out", async () => {
    const clock = fakeClock();
    const { port, came, open } = closedPort(world.engine);
    const manager = openShadowManager(port, { table: world.table, clock });
    const stop = new AbortController();
    const first = manager.report({ id: "x", state: { n: 1 } });
    const late = manager.report({ id: "x", state: { late: 1 } }, { deadlineMs: 50 });
    const aborted = manager.report({ id: "x", state: { aborted: 1 } }, { signal: stop.signal });
    const deletion = manager.delete({ id: "x" }, { signal: stop.signal });
    const last = manager.report({ id: "x", state: { n: 2 } });
    stop.abort();
    const rejected = (code: string) => ({ kind: "rejected", error: { code, ambiguous: false } });
    expect(await aborted).toMatchObject(rejected("CLIENT_ABORTED"));
    expect(await deletion).toMatchObject(rejected("CLIENT_ABORTED"));
    await clock.advance(50);
    expect(await late).toMatchObject(rejected("CLIENT_DEADLINE_EXCEEDED"));
    // Requests that left the queue let none pass the first.
    expect(came).toEqual(["GetItem"]);
    open();
    expect([(await first).kind, (await last).kind]).toEqual(["ok", "ok"]);
    expect(await manager.get({ id: "x" })).toMatchObject({ version: 2, state: { reported: { n: 2 } } });
    expect(clock.pending).toBe(0);
  });

  test("whose signal was aborted before is not carried out either", async () => {
    const { port, open } = closedPort(world.engine);
    const manager = openShadowManager(port, { table: world.table });
    const first = manager.report({ id: "x", state: { n: 1 } });
    const aborted = await manager.report({ id: "x", state: { n: 2 } }, { signal: AbortSignal.abort() });
    expect(aborted).toMatchObject({ kind: "rejected", error: { code: "CLIENT_ABORTED" } });
    open();
    expect((await first).kind).toBe("ok");
  });

  test("has only the time that the wait left", async () => {
    const clock = fakeClock();
    const given: [string, number | undefined][] = [];
    const slow = wrapPort(world.engine, async (operation, input, options, next) => {
      given.push([operation, options?.deadlineMs]);
      await sleep(clock, 100);
      return next(operation, input, options);
    });
    // Halves that are stored apart are read by every update.
    const manager = openShadowManager(slow, { table: world.table, clock, model: "separate" });
    await clock.autoAdvance(() =>
      Promise.all([
        manager.report({ id: "x", state: { n: 1 } }),
        manager.report({ id: "x", state: { n: 2 } }, { deadlineMs: 500 }),
      ]),
    );
    expect(given.map(([operation]) => operation)).toEqual([
      "BatchGetItem",
      "TransactWriteItems",
      "BatchGetItem",
      "TransactWriteItems",
    ]);
    expect(given[2]?.[1]).toBe(300);
    // The write reserves a part of the 200 ms for a read.
    expect(given[3]?.[1]).toBe(160);
  });
});
