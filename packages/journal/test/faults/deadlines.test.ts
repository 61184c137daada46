import { DynamoError, type DynamoPort, sleep, wrapPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engineFor, faultWorld, inFakeTime, itemsOf, staging } from "./fault-world.ts";
import { mortalAt } from "./mortal-port.ts";

/** The longest time that a deletion at a pace may take in these tests: its deadline, and one request. */
const overdueMs = 1500;

describe.each(staging)("%s: a call whose time is up", (_name, options) => {
  let port: Awaited<ReturnType<typeof engineFor>>["port"];
  beforeAll(async () => {
    ({ port } = await engineFor(options));
  });
  afterAll(() => port.close());
  const events = (size: number) => Array.from({ length: size }, () => ({ payload: "x" }));

  /** A port that takes 400 ms for a request and reads no deadline, and what was sent to it. */
  function slowPort() {
    const clock = fakeClock();
    const sent: string[] = [];
    const slow: DynamoPort = wrapPort(port, async (operation, input, _call, next) => {
      sent.push(operation);
      await sleep(clock, 400);
      return next(operation, input, {});
    });
    const within = async (maxMs: number, work: () => Promise<void>) => {
      const startedAt = clock.monotonic();
      await inFakeTime(clock, 20, work);
      expect(clock.monotonic() - startedAt).toBeLessThan(maxMs);
    };
    return { world: faultWorld(port, options, clock), slow, sent, within };
  }

  test("waits no longer for its turn to append, and is never written", async () => {
    const { id, open } = faultWorld(port, options);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let holds = false;
    const hanging = wrapPort(port, async (operation, input, call, next) => {
      if (holds) await held;
      return next(operation, input, call);
    });
    const journal = await open(hanging);
    const writer = await journal.recover(id);
    holds = true;
    const first = writer.append({ payload: "first" });
    const stop = new AbortController();
    const late = writer.append({ payload: "late" }, { deadlineMs: 20 });
    const given = writer.appendEach([{ payload: "given up" }, { payload: "too" }], { signal: stop.signal });
    const last = writer.append({ payload: "last" });
    stop.abort();
    expect(await given).toMatchObject([
      { kind: "rejected", error: { code: "CLIENT_ABORTED" } },
      { kind: "rejected", error: { code: "CLIENT_ABORTED" } },
    ]);
    expect(await late).toMatchObject({ kind: "rejected", error: { code: "CLIENT_DEADLINE_EXCEEDED" } });
    release();
    expect(await first).toMatchObject({ kind: "ok", value: { first: 1 } });
    expect(await last).toMatchObject({ kind: "ok", value: { first: 2 } });
    const payloads = [];
    for await (const { payload } of journal.replay(id)) payloads.push(payload);
    expect(payloads).toEqual(["first", "last"]);
  });

  test("sends no further write of an append", async () => {
    const { world, slow, sent, within } = slowPort();
    const writer = await (await world.open(port)).recover(world.id);
    await writer.append({ payload: "x" });
    let slowWriter = writer;
    await within(60_000, async () => {
      slowWriter = await (await world.open(slow)).recover(world.id);
    });
    sent.length = 0;
    await within(overdueMs, async () => {
      const outcomes = await slowWriter.appendEach(
        Array.from({ length: 6 }, () => events(1)),
        { deadlineMs: 1000 },
      );
      expect(outcomes.map(({ kind }) => kind)).toEqual([
        "ok",
        "ok",
        "ok",
        "rejected",
        "rejected",
        "rejected",
      ]);
      expect(outcomes[3]).toMatchObject({ error: { code: "CLIENT_DEADLINE_EXCEEDED", ambiguous: false } });
    });
    expect(sent).toHaveLength(3);
    // The writer continues where it was.
    await within(overdueMs, async () => {
      expect(await slowWriter.append(events(1))).toMatchObject({ kind: "ok", value: { first: 5 } });
    });
  });

  test("stages no further row of a batch, and the writer continues", async () => {
    const { world, slow, within } = slowPort();
    await within(60_000, async () => {
      const journal = await world.open(slow);
      const writer = await journal.recover(world.id);
      expect(await writer.append(events(1))).toMatchObject({ kind: "ok" });
      await within(overdueMs, async () => {
        expect(await writer.append(events(150), { deadlineMs: 1000 })).toMatchObject({
          kind: "rejected",
          error: { code: "CLIENT_DEADLINE_EXCEEDED", ambiguous: false },
        });
      });
      // What it has left is not another's.
      expect(await writer.append(events(2), { deadlineMs: 50_000 })).toMatchObject({ kind: "ok" });
      expect(await writer.append(events(120), { deadlineMs: 50_000 })).toMatchObject({ kind: "ok" });
      expect(await journal.highestSequenceNr(world.id)).toBe(123);
    });
  });

  test("ends a recovery that clears a long batch away, and the next continues with it", async () => {
    const { world, slow, within } = slowPort();
    const dying = mortalAt(port, (operation) => operation === "TransactWriteItems");
    const writer = await (await world.open(dying)).recover(world.id);
    expect(await writer.append(events(250))).toMatchObject({ kind: "rejected" });
    await within(60_000, async () => {
      const journal = await world.open(slow);
      await within(overdueMs, async () => {
        const recovering = journal.recover(world.id, { deadlineMs: 1000 });
        await expect(recovering).rejects.toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED" });
      });
      const next = await journal.recover(world.id, { deadlineMs: 50_000 });
      expect(await next.append(events(1))).toMatchObject({ kind: "ok", value: { first: 1 } });
    });
    expect((await itemsOf(port, world.id)).filter((item) => "staged" in item)).toEqual([]);
  });

  test("leaves less to clear away to the next recovery, however long the batch is", async () => {
    const { world, slow, within } = slowPort();
    const dying = mortalAt(port, (operation) => operation === "TransactWriteItems");
    const writer = await (await world.open(dying)).recover(world.id);
    expect(await writer.append(events(500))).toMatchObject({ kind: "rejected" });
    await within(120_000, async () => {
      const journal = await world.open(slow);
      const recovered = () => journal.recover(world.id, { deadlineMs: 10_000 });
      let next = await recovered().catch(() => undefined);
      expect(next).toBeUndefined();
      for (let tries = 0; next === undefined && tries < 5; tries++)
        next = await recovered().catch(() => undefined);
      expect(await next?.append(events(1))).toMatchObject({ kind: "ok", value: { first: 1 } });
    });
    expect((await itemsOf(port, world.id)).filter((item) => "staged" in item)).toEqual([]);
  });

  test("reports a batch whose commit was never sent as not written", async () => {
    const clock = fakeClock();
    const world = faultWorld(port, options, clock);
    let broken: readonly string[] = [];
    const failing = wrapPort(port, (operation, input, call, next) => {
      const error = new DynamoError({ exception: "InternalServerError", serviceMessage: "" });
      return broken.includes(operation) ? Promise.reject(error) : next(operation, input, call);
    });
    await inFakeTime(clock, 20, async () => {
      const journal = await world.open(failing);
      const writer = await journal.recover(world.id);
      const surely = { kind: "rejected", error: { code: "JOURNAL_NOT_WRITTEN", ambiguous: false } };
      broken = ["PutItem", "GetItem"];
      expect(await writer.append(events(150), { deadlineMs: 1000 })).toMatchObject(surely);
      // What it has left cannot be cleared away yet: in the packed layout it is searched for first.
      broken = [options.layout === "packed" ? "Query" : "DeleteItem"];
      expect(await writer.append(events(1), { deadlineMs: 600_000 })).toMatchObject(surely);
      broken = [];
      expect(await writer.append(events(1))).toMatchObject({ kind: "ok", value: { first: 1 } });
    });
  });

  test("removes a batch, and recognizes its own removal if the answer is lost", async () => {
    const clock = fakeClock();
    const world = faultWorld(port, options, clock);
    let broken = false;
    const failing = wrapPort(port, async (operation, input, call, next) => {
      const error = new DynamoError({ exception: "InternalServerError", serviceMessage: "" });
      const takesBack = JSON.stringify(input).includes("REMOVE stage") && operation === "UpdateItem";
      if (broken && operation === "PutItem") throw error;
      const output = await next(operation, input, call);
      if (broken && takesBack) throw error;
      return output;
    });
    await inFakeTime(clock, 20, async () => {
      const journal = await world.open(failing);
      const writer = await journal.recover(world.id);
      broken = true;
      expect(await writer.append(events(150), { deadlineMs: 5000 })).toMatchObject({ kind: "rejected" });
      broken = false;
      expect(await writer.append(events(2))).toMatchObject({ kind: "ok", value: { first: 1 } });
      expect(await writer.append(events(120))).toMatchObject({ kind: "ok", value: { first: 3 } });
      // Another's taking over is not its own.
      await (await world.open(port)).recover(world.id);
      const kind = options.fencing === "strict" ? "conflict" : "ok";
      expect(await writer.append(events(120))).toMatchObject({ kind });
    });
  });

  test("returns a batch up whose stage is recorded too late, and is not stopped by it", async () => {
    const clock = fakeClock();
    const world = faultWorld(port, options, clock);
    let broken = false;
    let late: (() => Promise<unknown>) | undefined;
    const failing = wrapPort(port, (operation, input, call, next) => {
      if (!broken || !JSON.stringify(input).includes(", stage = ")) return next(operation, input, call);
      late = () => next(operation, input, {});
      return Promise.reject(new DynamoError({ exception: "InternalServerError", serviceMessage: "" }));
    });
    await inFakeTime(clock, 20, async () => {
      const writer = await (await world.open(failing)).recover(world.id);
      broken = true;
      expect(await writer.append(events(150), { deadlineMs: 5000 })).toMatchObject({ kind: "rejected" });
      broken = false;
      expect(await writer.append(events(1))).toMatchObject({ kind: "ok", value: { first: 1 } });
      await late?.().catch(() => undefined);
      expect(await writer.append(events(120))).toMatchObject({ kind: "ok", value: { first: 2 } });
    });
  });

  test("ends a deletion", async () => {
    const { world, slow, within } = slowPort();
    const writer = await (await world.open(port)).recover(world.id);
    await writer.append(events(350));
    await within(60_000, async () => {
      const journal = await world.open(slow);
      for (const call of [
        () => journal.deleteTo(world.id, 300, { deadlineMs: 2000 }),
        () => journal.purge(world.id, { deadlineMs: 2000 }),
      ]) {
        await within(2500, () => expect(call()).rejects.toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED" }));
      }
    });
    const { lowMarks } = await (await world.open(port)).listAll(world.id);
    expect(Math.max(...lowMarks)).toBe(351);
  });

  test("ends a deletion that is held back by a rate", async () => {
    const { world, slow, within } = slowPort();
    const writer = await (await world.open(port)).recover(world.id);
    await writer.append(events(350));
    await within(60_000, async () => {
      const journal = await world.open(slow);
      for (const pace of [{ maxUnitsPerSecond: 2 }, { maxRequestsPerSecond: 2 }]) {
        await within(overdueMs, async () => {
          const deleting = journal.deleteTo(world.id, 300, { deadlineMs: 1000, ...pace });
          await expect(deleting).rejects.toMatchObject({ kind: "unavailable" });
        });
      }
    });
  });
});
