import type { DynamoPort } from "@tablekeep/core";
import { type FakeClock, fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { type Mail, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";
import { makeBlocks } from "./signature-block-steps.ts";

const minute = 60_000;
const perHour = 40;

/** A clock that differs from another one. */
function apart(clock: FakeClock, ms: number): FakeClock {
  return Object.assign(Object.create(clock), { now: () => clock.now() + ms }) as FakeClock;
}

/** An instance on a machine with such a clock. The server's responses have the right time. */
function openApart(port: DynamoPort, clock: FakeClock, ms: number): Promise<Mail> {
  return openMail({ ...port, serverOffsetMs: () => -ms }, { clock: apart(clock, ms) });
}

async function expectAll(mail: Mail, ids: readonly string[]): Promise<void> {
  expect(await mail.count()).toBe(ids.length);
  const { items } = await mail.search({ kind: "containing", query: "plum" }, { limit: 250 });
  expect(items.map(({ id }) => id).sort()).toEqual([...ids].sort());
}

async function world() {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9) });
  const port = await engineWithMail({ clock });
  const mail = await openMail(port, { clock });
  const ids: string[] = [];
  const store = async (by: Mail) => {
    ids.push((await by.store(envelope, letter(String(ids.length), "plum\r\n"))).id);
    clock.jump(1);
  };
  for (let at = 0; at < perHour; at++) await store(mail);
  return { clock, port, mail, ids, store };
}

describe("instances whose clocks are minutes apart", () => {
  test.each([-7, -20, -90])("%i: messages of one are in every count and search", async (minutes) => {
    const { clock, port, mail, ids, store } = await world();
    // The hour has ended, and blocks of its signatures are made.
    clock.jump(66 * minute);
    await makeBlocks(port, clock);
    await expectAll(mail, ids);
    const cached = await openMail(port, { clock });
    await expectAll(cached, ids);
    const behind = await openApart(port, clock, minutes * minute);
    for (let round = 0; round < 3; round++) {
      await store(behind);
      for (const each of [mail, cached, behind]) await expectAll(each, ids);
      const fresh = await openMail(port, { clock });
      await expectAll(fresh, ids);
      await fresh.close();
      clock.jump(2 * minute);
    }
    for (const each of [mail, cached, behind]) await each.close();
  });

  test("one that is ahead keeps nothing that may still change", async () => {
    const { clock, port, mail, ids, store } = await world();
    clock.jump(30 * minute);
    const ahead = await openApart(port, clock, 100 * minute);
    await expectAll(ahead, ids);
    for (let at = 0; at < 5; at++) await store(mail);
    for (const each of [ahead, mail]) await expectAll(each, ids);
    const fresh = await openMail(port, { clock });
    await expectAll(fresh, ids);
    for (const each of [ahead, mail, fresh]) await each.close();
  });

  test("small differences do not count", async () => {
    const { clock, port, ids, store } = await world();
    const behind = await openApart(port, clock, -20_000);
    await store(behind);
    await expectAll(behind, ids);
    const [entry] =
      (await port.scan({ TableName: "mail" })).Items?.filter(({ pk }) => pk?.S === "hours") ?? [];
    expect(entry?.["gen"]).toBeUndefined();
    await behind.close();
  });
});
