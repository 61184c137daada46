import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildContext } from "../../src/context/build-context.ts";
import { registrySlot } from "../../src/protocol/registry.ts";
import { engineFor, faultWorld, inFakeTime, itemsOf, named, table } from "./fault-world.ts";

describe.each(named)("%s:", (_name, options) => {
  let port: Awaited<ReturnType<typeof engineFor>>["port"];
  beforeAll(async () => {
    ({ port } = await engineFor(options));
  });
  afterAll(() => port.close());
  const world = () => faultWorld(port, options);
  const layout = () => buildContext(port, { ...options, table }).context.layout;

  describe("numbers near 2^53", () => {
    test("are assigned to the last, and then rejected without harm", async () => {
      const { id, open } = world();
      const journal = await open(port);
      const last = Number.MAX_SAFE_INTEGER;
      const { key, attribute } = layout().lowMark(id, last - 2);
      await port.putItem({ TableName: table, Item: { ...key, [attribute]: { N: String(last - 2) } } });
      const writer = await journal.recover(id);
      expect(writer.highestSequenceNr).toBe(last - 3);
      const batch = Array.from({ length: 4 }, () => ({ payload: "x" }));
      const outcomes = await writer.appendEach([
        batch,
        { payload: "1" },
        [{ payload: "2" }, { payload: "3" }],
        { payload: "4" },
      ]);
      expect(outcomes).toMatchObject([
        { kind: "rejected", error: { code: "JOURNAL_SEQUENCE_NR_UNSAFE" } },
        { kind: "ok", value: { first: last - 2 } },
        { kind: "ok", value: { last } },
        { kind: "rejected", error: { code: "JOURNAL_SEQUENCE_NR_UNSAFE" } },
      ]);
      expect(await journal.highestSequenceNr(id)).toBe(last);
      const numbers = [];
      for await (const { sequenceNr } of journal.replay(id)) numbers.push(sequenceNr);
      expect(numbers).toEqual([last - 2, last - 1, last]);
    });

    test("beyond it throw an error, and are never rounded", async () => {
      const { id, open } = world();
      const { key, attribute } = layout().lowMark(id, 1);
      await port.putItem({ TableName: table, Item: { ...key, [attribute]: { N: "9007199254740993" } } });
      await expect((await open(port)).recover(id)).rejects.toMatchObject({
        code: "JOURNAL_SEQUENCE_NR_UNSAFE",
      });
    });
  });

  test("a writer accepts a limited number of concurrent appends", async () => {
    const { id, open } = world();
    const writer = await (await open(port)).recover(id);
    const appends = Array.from({ length: 1005 }, () => writer.append({ payload: "x" }));
    const outcomes = (await Promise.all(appends)).map(({ kind }) => kind);
    expect(outcomes.slice(1000)).toEqual(Array.from({ length: 5 }, () => "rejected"));
    expect(new Set(outcomes.slice(0, 1000))).toEqual(new Set(["ok"]));
    expect(await writer.append({ payload: "y" })).toMatchObject({ kind: "ok", value: { first: 1001 } });
  });

  test("the deadline of an append is that of all its writes together", async () => {
    const clock = fakeClock();
    const { port: slow } = await engineFor(options, { clock });
    const { id, open } = faultWorld(slow, options, clock);
    const faulty = faultyPort(slow, "seed=1 faults=[{kind:delay-answer,ms:400}]", { clock });
    await inFakeTime(clock, 20, async () => {
      const writer = await (await open(faulty)).recover(id);
      const startedAt = clock.monotonic();
      const writes = Array.from({ length: 6 }, () => ({ payload: "x" }));
      const kinds = (await writer.appendEach(writes, { deadlineMs: 1000 })).map(({ kind }) => kind);
      expect(clock.monotonic() - startedAt).toBeLessThan(1500);
      expect(kinds.slice(0, 2)).toEqual(["ok", "ok"]);
      expect(kinds.slice(3)).toEqual(["rejected", "rejected", "rejected"]);
    });
    await slow.close();
  });

  test("a recovery that is always overtaken ends at its deadline", async () => {
    const clock = fakeClock();
    const { port: busy } = await engineFor(options, { clock });
    const { id, open } = faultWorld(busy, { ...options, fencing: "strict" }, clock);
    // Before every update of the writer item another recovery gets in between.
    const overtaken: DynamoPort = wrapPort(busy, async (operation, input, call, next) => {
      const { UpdateExpression = "" } = input as { UpdateExpression?: string };
      if (operation === "UpdateItem" && UpdateExpression.includes("epoch"))
        await (await open(busy)).recover(id);
      return next(operation, input, call);
    });
    await inFakeTime(clock, 20, async () => {
      const startedAt = clock.monotonic();
      const journal = await open(overtaken);
      await expect(journal.recover(id, { deadlineMs: 2000 })).rejects.toMatchObject({ kind: "unavailable" });
      expect(clock.monotonic() - startedAt).toBeLessThan(2500);
    });
    await busy.close();
  });

  test("a damaged row is reported by a replay, and can be deleted", async () => {
    const { id, open } = world();
    const journal = await open(port);
    await (await journal.recover(id)).appendEach([{ payload: "a" }, { payload: "b" }, { payload: "c" }]);
    const Key = layout().eventKey(id, 2);
    const crc = { B: Uint8Array.of(1, 2, 3, 4) };
    await port.updateItem({
      TableName: table,
      Key,
      UpdateExpression: "SET crc = :crc",
      ExpressionAttributeValues: { ":crc": crc },
    });
    const numbers = async () => {
      const found = [];
      for await (const { sequenceNr } of journal.replay(id)) found.push(sequenceNr);
      return found;
    };
    await expect(numbers()).rejects.toMatchObject({
      code: options.layout === "packed" ? "JOURNAL_ITEM_CORRUPT" : "JOURNAL_CHECKSUM_MISMATCH",
    });
    await journal.deleteTo(id, 2);
    expect(await numbers()).toEqual([3]);
  });

  test("an id whose place in the registry was taken moves on, and is found by a purge", async () => {
    const { registryKey } = layout();
    if (registryKey === undefined) return;
    const { id, open } = world();
    for (const probe of [0, 1]) {
      const { shard, place } = registrySlot(64, id, probe);
      const Item = { ...registryKey(shard, place), persistence_id: { S: `another-${probe}` } };
      await port.putItem({ TableName: table, Item });
    }
    const journal = await open(port);
    const ids = async () => {
      const found = [];
      for await (const { persistenceId } of journal.currentPersistenceIds()) found.push(persistenceId);
      return found;
    };
    const writer = await journal.recover(id);
    expect(await writer.append(Array.from({ length: 101 }, () => ({ payload: "x" })))).toMatchObject({
      kind: "ok",
    });
    expect((await ids()).filter((each) => each === id)).toEqual([id]);
    await journal.purge(id);
    expect(await ids()).not.toContain(id);
    expect(await ids()).toEqual(expect.arrayContaining(["another-0", "another-1"]));
    expect(await itemsOf(port, id)).toEqual([]);
  });

  test("a deletion keeps to its rate", async () => {
    const clock = fakeClock();
    const { port: timed } = await engineFor(options, { clock });
    const { id, open } = faultWorld(timed, options, clock);
    const sentAt: number[] = [];
    const watched = wrapPort(timed, (operation, input, call, next) => {
      sentAt.push(clock.monotonic());
      return next(operation, input, call);
    });
    const journal = await open(watched);
    const writer = await journal.recover(id);
    await writer.appendEach(Array.from({ length: 60 }, () => ({ payload: "x" })));
    for (const work of [
      () => journal.deleteTo(id, 60, { maxRequestsPerSecond: 4 }),
      () => journal.purge(id, { maxRequestsPerSecond: 4 }),
    ]) {
      sentAt.length = 0;
      await inFakeTime(clock, 25, work);
      const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
      expect(gaps.length).toBeGreaterThanOrEqual(5);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(250);
    }
    expect(await itemsOf(timed, id)).toEqual([]);
    await timed.close();
  });

  test("the first delete after the original's ends what that left, and reads it once", async () => {
    const { id, open } = world();
    const journal = await open(port);
    await (await journal.recover(id)).appendEach(Array.from({ length: 5 }, () => ({ payload: "x" })));
    // The original raises its mark and crashes: nothing shows that rows are left.
    const { key, attribute } = layout().lowMark(id, 4);
    await port.updateItem({
      TableName: table,
      Key: key,
      UpdateExpression: "SET #low = :low",
      ExpressionAttributeNames: { "#low": attribute },
      ExpressionAttributeValues: { ":low": { N: "4" } },
    });
    const rows = async () =>
      (await itemsOf(port, id)).filter((item) => "crc" in item || "sum" in item).length;
    expect(await rows()).toBe(5);
    await journal.deleteTo(id, 1);
    expect(await rows()).toBe(2);
  });
});
