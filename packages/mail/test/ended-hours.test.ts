import { type QueryInput, sleep, wrapPort } from "@tablekeep/core";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

const hour = 3_600_000;

describe("counts of hours that have ended", () => {
  test("are correct on two instances that delete in turn, before and after they count", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
    const port = await engineWithMail({ clock });
    const [one, two] = [await openMail(port, { clock }), await openMail(port, { clock })] as const;
    const ids: string[] = [];
    for (let at = 0; at < 12; at++) {
      ids.push((await one.store(envelope, letter(String(at)))).id);
      if (at % 3 === 2) clock.jump(hour);
    }
    clock.jump(hour);
    for (const [at, id] of ids.entries()) {
      const [deleter, other] = at % 2 === 0 ? [one, two] : [two, one];
      expect(await deleter.deleteOne(id)).toBe(true);
      const left = ids.length - at - 1;
      expect([await other.count(), await deleter.count()]).toEqual([left, left]);
      expect((await other.list()).items).toHaveLength(left);
    }
  });

  test("are correct after a message that took minutes to store", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 59, 59) });
    const port = await engineWithMail({ clock });
    const other = await openMail(port, { clock });
    await other.store(envelope, letter("in time"));
    // The put of the summary is applied long after the hour has ended and been counted.
    const delayed = faultyPort(port, "seed=1 faults=[{op:PutItem,kind:delay,ms:600000}]", { clock });
    const slow = await openMail(delayed, { clock, deadlineMs: 1_200_000 });
    const storing = slow.store(envelope, letter("late"));
    for (let turns = 0; delayed.log.length === 0 && turns < 10_000; turns++)
      await new Promise((resolve) => setImmediate(resolve));
    clock.jump(560_000);
    expect(await other.count()).toBe(1);
    clock.jump(-560_000);
    await clock.autoAdvance(() => storing);
    expect(await other.count()).toBe(2);
    expect((await other.list()).items).toHaveLength(2);
    expect((await other.search({ kind: "text", query: "late" })).items).toHaveLength(1);
  });

  test("are correct although others counted while a delete became visible item by item", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
    // The hour shows the delete after half a second; the message is deleted after one second.
    const port = await engineWithMail({ clock }, { transactionMs: 1000 });
    const [deleter, other] = [await openMail(port, { clock }), await openMail(port, { clock })] as const;
    const { id } = await deleter.store(envelope, letter("gone"));
    await deleter.store(envelope, letter("stays"));
    clock.jump(2 * hour);
    await clock.autoAdvance(async () => {
      const deleting = deleter.deleteOne(id);
      await sleep(clock, 700);
      await other.count();
      expect(await deleting).toBe(true);
      for (const mail of [deleter, other]) expect(await mail.count()).toBe(1);
      clock.jump(hour);
      for (const mail of [deleter, other]) expect(await mail.count()).toBe(1);
      expect((await other.list()).items).toHaveLength(1);
    });
  });

  test("are not read again while nothing changes", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
    const port = await engineWithMail({ clock });
    const mail = await openMail(port, { clock });
    for (let at = 0; at < 4; at++) {
      await mail.store(envelope, letter(String(at)));
      clock.jump(2 * hour);
    }
    expect(await mail.count()).toBe(4);
    const counted = faultyPort(
      port,
      "seed=1 faults=[{op:Query,nth:2..99,kind:refuse,exception:AccessDeniedException}]",
    );
    const another = await openMail(counted, { clock });
    expect(await another.count()).toBe(4);
  });
});

describe("reads while an hour ends", () => {
  /** Two stores. When the first gets the answer to its query, the second stores a message and the hour ends. */
  async function overTheEnd(isIt: (query: QueryInput) => boolean) {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9, 59, 50) });
    const engine = await engineWithMail({ clock });
    const other = await openMail(engine, { clock, shards: 1 });
    let waits = true;
    const port = wrapPort(engine, async (operation, input, options, next) => {
      const answer = await next(operation, input, options);
      if (waits && operation === "Query" && isIt(input as QueryInput)) {
        waits = false;
        await other.store(envelope, letter("kept"));
        clock.jump(370_000);
      }
      return answer;
    });
    await other.store(envelope, letter("first"));
    return { one: await openMail(port, { clock, shards: 1 }), fresh: await openMail(engine, { clock }) };
  }

  test("are not cached as the hour's count", async () => {
    // The last range of ids: what comes after it is not counted.
    const { one, fresh } = await overTheEnd(
      ({ Select, ExpressionAttributeValues: values }) => Select === "COUNT" && values?.[":until"]?.S === "~",
    );
    expect(await one.count()).toBe(1);
    expect(await one.count()).toBe(2);
    expect(await fresh.count()).toBe(2);
    expect((await fresh.list({ start: 1 })).items).toHaveLength(1);
  });

  test("are not cached as the hour's signatures", async () => {
    const { one } = await overTheEnd(({ ExpressionAttributeValues: values = {} }) =>
      Object.values(values).some(({ S }) => S?.startsWith("s#") === true),
    );
    const search = { kind: "text", query: "kept" } as const;
    expect((await one.search(search)).items).toEqual([]);
    expect((await one.search(search)).items).toHaveLength(1);
  });
});

describe("a list at an offset", () => {
  test("is that part of the whole list, on the instance that stored the messages and on others", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
    const port = await engineWithMail({ clock });
    const mail = await openMail(port, { clock });
    for (let at = 0; at < 600; at++) {
      await mail.store(envelope, letter(String(at)));
      if (at === 350) clock.jump(2 * hour);
      else if (at % 7 === 0) clock.jump(1);
    }
    const all = (await mail.list({ limit: 1000 })).items.map(({ id }) => id);
    expect(all).toHaveLength(600);
    const another = await openMail(port, { clock });
    const check = async () => {
      for (const each of [mail, another])
        for (const start of [0, 1, 50, 248, 249, 250, 480, 595, 600, 700]) {
          const { items } = await each.list({ start, limit: 7 });
          expect(items.map(({ id }) => id)).toEqual(all.slice(start, start + 7));
        }
    };
    await check();
    for (const deleter of [mail, another]) {
      const gone = new Set(all.filter((_, at) => at % 50 === 3));
      await deleter.deleteMany([...gone]);
      all.splice(0, all.length, ...all.filter((id) => !gone.has(id)));
      await check();
    }
    clock.jump(2 * hour);
    await check();
    expect([await mail.count(), await another.count()]).toEqual([all.length, all.length]);
  });
});
