/** Totals of searches that many messages match: what was read once is not read again, and changes are noticed. */
import { wrapPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { type Mail, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

const minute = 60_000;
const count = 240;
const plum = { kind: "containing", query: "plum" } as const;

/** An instance that has stored messages, and one that counts what it reads. Every third message contains "pear". */
async function twoInstances() {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9) });
  const engine = await engineWithMail({ clock });
  const writer = await openMail(engine, { clock, shards: 2 });
  for (let at = 0; at < count; at++)
    await writer.store(envelope, letter(`letter ${at}`, at % 3 === 0 ? "plum pear\r\n" : "Plum\r\n"));
  clock.jump(6 * minute);
  const read = { items: 0 };
  const port = wrapPort(engine, async (operation, input, options, next) => {
    const answer = await next(operation, input, options);
    if (operation === "Query") read.items += (answer as { ScannedCount?: number }).ScannedCount ?? 0;
    if (operation === "BatchGetItem") {
      const { Responses = {} } = answer as { Responses?: Record<string, unknown[]> };
      for (const items of Object.values(Responses)) read.items += items.length;
    }
    return answer;
  });
  const reader = await openMail(port, { clock, shards: 2 });
  return { clock, writer, reader, read };
}

const totalOf = async (mail: Mail, search: Parameters<Mail["search"]>[0]) =>
  (await mail.search(search, { total: true, limit: 0 })).total;

test("a total that was counted before reads no message again, on both instances", async () => {
  const { writer, reader, read } = await twoInstances();
  expect(await totalOf(reader, plum)).toBe(count);
  read.items = 0;
  expect(await totalOf(reader, plum)).toBe(count);
  expect(await totalOf(reader, { kind: "containing", query: "plum" })).toBe(count);
  // The directory of hours.
  expect(read.items).toBeLessThan(20);
  expect(await totalOf(reader, { query: "pear" })).toBe(count / 3);
  read.items = 0;
  expect(await totalOf(reader, { query: "pear" })).toBe(count / 3);
  expect(read.items).toBeLessThan(20);
  expect(await totalOf(writer, plum)).toBe(count);
  expect(await totalOf(writer, plum)).toBe(count);
});

test("a page anywhere in a counted search has the messages of a list", async () => {
  const { writer, reader } = await twoInstances();
  const all = (await writer.list({ limit: 1000 })).items;
  for (const start of [0, 95, 100, 190, 230, 240]) {
    const page = await reader.search(plum, { start, limit: 20, total: true });
    expect(page.items).toEqual(all.slice(start, start + 20));
    expect([page.total, page.next !== undefined]).toEqual([count, start + 20 < count]);
  }
  const first = await reader.search(plum, { limit: 120, total: true });
  const second = await reader.search(plum, { limit: 120, total: true, cursor: first.next });
  expect([...first.items, ...second.items]).toEqual(all);
  expect([second.total, second.next]).toEqual([count, undefined]);
});

test("messages that others store, import, delete and mark are noticed", async () => {
  const { clock, writer, reader } = await twoInstances();
  expect(await totalOf(reader, plum)).toBe(count);
  const all = (await writer.list({ limit: 1000 })).items.map(({ id }) => id);
  await writer.store(envelope, letter("new", "plum\r\n"));
  expect(await totalOf(reader, plum)).toBe(count + 1);
  await writer.importMessage(
    { created: Date.UTC(2050, 0, 1, 9, 1), key: "old" },
    envelope,
    letter("o", "plum\r\n"),
  );
  expect(await totalOf(reader, plum)).toBe(count + 2);
  await writer.deleteMany(all.slice(0, 10));
  expect(await totalOf(reader, plum)).toBe(count - 8);
  await reader.deleteOne(all[20] ?? "");
  expect([await totalOf(reader, plum), await totalOf(writer, plum)]).toEqual([count - 9, count - 9]);
  const unread = { query: "plum is:unread" };
  expect(await totalOf(reader, unread)).toBe(count - 9);
  await writer.mark(all.slice(30, 35), { read: true });
  expect([await totalOf(reader, unread), await totalOf(reader, plum)]).toEqual([count - 14, count - 9]);
  clock.jump(10 * minute);
  expect(await totalOf(reader, plum)).toBe(count - 9);
  await writer.deleteAll();
  expect([await totalOf(reader, plum), await totalOf(writer, plum)]).toEqual([0, 0]);
  await writer.store(envelope, letter("after", "plum\r\n"));
  expect(await totalOf(reader, plum)).toBe(1);
});

test("messages that expire are no longer counted", async () => {
  const { clock, reader } = await twoInstances();
  expect(await totalOf(reader, plum)).toBe(count);
  clock.jump(7 * 24 * 60 * minute);
  expect(await totalOf(reader, plum)).toBe(0);
});
