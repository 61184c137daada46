/** Messages of the present hour that settled minutes ago are cached, also those of other instances: nothing may be missing or stay. */
import { wrapPort } from "@tablekeep/core";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { type Mail, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

const minute = 60_000;
const old = 260;

/** A former instance with messages that have settled, and one that was opened later and has read them. */
async function twoInstances() {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9) });
  const engine = await engineWithMail({ clock });
  const former = await openMail(engine, { clock, shards: 2 });
  for (let at = 0; at < old; at++) await former.store(envelope, letter(`old ${at}`, "plum\r\n"));
  clock.jump(6 * minute);
  const read = { items: 0 };
  const port = wrapPort(engine, async (operation, input, options, next) => {
    const answer = await next(operation, input, options);
    if (operation === "Query") read.items += (answer as { ScannedCount?: number }).ScannedCount ?? 0;
    return answer;
  });
  const later = await openMail(port, { clock, shards: 2 });
  await expectEqual(later, former, old);
  return { clock, former, later, read };
}

/** Reads everything in every way. The former instance lists without a cache. */
async function expectEqual(mail: Mail, other: Mail, count: number): Promise<void> {
  const all = (await other.list({ limit: 1000 })).items.map(({ id }) => id);
  expect(all).toHaveLength(count);
  expect(await mail.count()).toBe(count);
  const start = count - 20;
  expect((await mail.list({ start })).items.map(({ id }) => id)).toEqual(all.slice(start));
  const { items, total } = await mail.search({ kind: "containing", query: "plum" }, { total: true });
  expect([items.map(({ id }) => id), total]).toEqual([all.slice(0, 50), count]);
}

describe("an instance that did not store the messages of the hour", () => {
  test("does not read settled ones again", async () => {
    const { later, former, read } = await twoInstances();
    await former.store(envelope, letter("new", "plum\r\n"));
    read.items = 0;
    expect(await later.count()).toBe(old + 1);
    expect((await later.list({ start: old })).items).toHaveLength(1);
    const absent = await later.search({ kind: "containing", query: "quince" }, { total: true });
    expect(absent.total).toBe(0);
    // The new message, the directory, and the pages of the list, but not the others.
    expect(read.items).toBeLessThan(60);
  });

  test("finds messages that others and it store, and not those that they delete", async () => {
    const { clock, former, later } = await twoInstances();
    const fresh = await former.store(envelope, letter("new", "plum\r\n"));
    await later.store(envelope, letter("its own", "plum\r\n"));
    await expectEqual(later, former, old + 2);
    const [oldest] = (await former.list({ start: old + 1 })).items;
    await former.deleteMany([oldest?.id ?? "", fresh.id]);
    await expectEqual(later, former, old);
    clock.jump(10 * minute);
    await expectEqual(later, former, old);
    const [second] = (await former.list({ start: old - 1 })).items;
    await later.deleteOne(second?.id ?? "");
    await expectEqual(later, former, old - 1);
    await former.deleteAll();
    expect(await later.count()).toBe(0);
  });

  test("finds a message that took minutes to store", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9) });
    const port = await engineWithMail({ clock });
    const other = await openMail(port, { clock });
    await (await openMail(port, { clock })).store(envelope, letter("in time"));
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
    expect((await other.search({ kind: "text", query: "late" })).items).toHaveLength(1);
  });
});
