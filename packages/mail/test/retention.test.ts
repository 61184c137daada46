import { createTableInput } from "@tablekeep/client";
import { type Clock, DynamoError, systemClock, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { mailTableSpec, openMail } from "../src/index.ts";
import { envelope, letter, storeLetters, subjectsOf } from "../src/testing/mail-case.ts";
import { engineWithMail, mailOnEngine } from "./engine-mail.ts";

/** A clock whose durations stand still. The test runs the timers of background work. */
function pausingClock() {
  const pending = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    monotonic: () => 0,
    after(ms, run, options) {
      if (options?.background !== true) return systemClock.after(ms, run, options);
      pending.add(run);
      return () => pending.delete(run);
    },
  };
  const runPending = () => {
    for (const run of pending) {
      pending.delete(run);
      run();
    }
  };
  return { clock, pending, runPending };
}

describe.each(["sharded", "mhdynamo"] as const)("retention, %s", (layout) => {
  test("keeps the newest messages, even when two instances trim at once", async () => {
    const port = await engineWithMail({ layout });
    const one = await openMail(port, { layout, maxMessages: 5 });
    const two = await openMail(port, { layout, maxMessages: 5 });
    await storeLetters(await openMail(port, { layout }), 12);
    const trimmed = await Promise.all([one.trim(), two.trim()]);
    expect(trimmed[0] + trimmed[1]).toBe(7);
    expect(subjectsOf((await one.list()).items)).toEqual(["12", "11", "10", "9", "8"]);
  });

  test("by number runs automatically after a store", async () => {
    const { mail, port } = await mailOnEngine({ layout, maxMessages: 3 });
    await storeLetters(mail, 8);
    await mail.close();
    const left = (await (await openMail(port, { layout })).list()).items;
    expect(subjectsOf(left)).toEqual(["8", "7", "6"]);
  });

  test("by number deletes what a trim has left, although no message follows", async () => {
    const { clock, runPending } = pausingClock();
    const { mail } = await mailOnEngine({ layout, clock, maxMessages: 60 });
    await storeLetters(mail, 65);
    runPending();
    await expect.poll(() => mail.count()).toBe(60);
    // It is the third one that starts the next trim.
    await storeLetters(mail, 2);
    expect(await mail.count()).toBe(62);
    runPending();
    await expect.poll(() => mail.count()).toBe(60);
    await mail.close();
  });

  test("by number tries again after a failure, although no message follows", async () => {
    const { clock, pending, runPending } = pausingClock();
    let broken = false;
    const port = wrapPort(await engineWithMail({ layout }), (operation, input, options, next) => {
      if (broken && operation === "Query")
        throw new DynamoError({ exception: "AccessDeniedException", serviceMessage: "down" });
      return next(operation, input, options);
    });
    const mail = await openMail(port, { layout, clock, maxMessages: 3 });
    await storeLetters(mail, 5);
    await expect.poll(() => mail.count()).toBe(3);
    broken = true;
    await storeLetters(mail, 1);
    await expect.poll(() => pending.size).toBe(1);
    broken = false;
    expect(await mail.count()).toBe(4);
    runPending();
    await expect.poll(() => mail.count()).toBe(3);
    await mail.close();
    expect(pending.size).toBe(0);
  });

  test("by number reports deleted messages", async () => {
    const { mail } = await mailOnEngine({ layout, maxMessages: 3 });
    const changes = mail.watchChanges()[Symbol.asyncIterator]();
    const first = changes.next();
    await storeLetters(mail, 8);
    await first;
    const deleted: string[] = [];
    while (deleted.length < 5) {
      const { value } = await changes.next();
      if (value?.kind === "deleted") deleted.push(...value.ids);
    }
    const left = (await mail.list()).items.map(({ id }) => id);
    expect(left.filter((id) => deleted.includes(id))).toEqual([]);
    await mail.close();
  });

  test("by age hides a message at the very second it expires, though the table still has it", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 0, 0, 500) });
    const { mail, port } = await mailOnEngine({ layout, clock, ttlDays: 2 });
    const { id, expires } = await mail.store(envelope, letter("short"));
    expect(expires).toBe(Date.UTC(2050, 0, 3) / 1000);
    clock.jump(expires * 1000 - 1 - clock.now());
    expect(await mail.count()).toBe(1);
    expect((await mail.load(id))?.subject).toBe("short");
    clock.jump(1);
    expect(await mail.count()).toBe(0);
    expect(await mail.load(id)).toBeUndefined();
    expect((await mail.list()).items).toEqual([]);
    expect((await mail.search({ kind: "containing", query: "hello" }, { total: true })).total).toBe(0);
    expect(await mail.deleteOne(id)).toBe(false);
    expect((await port.scan({ TableName: "mail" })).Items?.length).toBeGreaterThan(0);
  });

  test("is checked when the store is opened: the table must expire by the right attribute", async () => {
    const port = await openEngine({ storage: { kind: "memory" } });
    await port.createTable(createTableInput(mailTableSpec({ layout })));
    await expect(openMail(port, { layout })).rejects.toMatchObject({ code: "CLIENT_TABLE_MISMATCH" });
    await port.updateTimeToLive({
      TableName: "mail",
      TimeToLiveSpecification: { Enabled: true, AttributeName: "other" },
    });
    await expect(openMail(port, { layout })).rejects.toMatchObject({ code: "CLIENT_TABLE_MISMATCH" });
  });
});

test("a store with a shorter time to live sees messages of one with a longer", async () => {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
  const port = await engineWithMail();
  const long = await openMail(port, { clock, ttlDays: 30 });
  const short = await openMail(port, { clock, ttlDays: 1 });
  await long.store(envelope, letter("long"));
  await short.store(envelope, letter("short"));
  clock.jump(86_400_000);
  expect(subjectsOf((await short.list()).items)).toEqual(["long"]);
  expect([await short.count(), await long.count()]).toEqual([1, 1]);
  clock.jump(20 * 86_400_000);
  expect(subjectsOf((await short.list()).items)).toEqual(["long"]);
});
