import { DynamoError, type DynamoPort, type InputOf, wrapPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { isMailError, type Mail, type MailChange, type MailOptions, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

const day = 86_400_000;

/** Several servers with one inbox on one table. */
async function servers(count: number, pollMs = 1_000) {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9, 30) });
  const options: MailOptions = { clock, shards: 1, inbox: "one", pollMs };
  const port = await engineWithMail(options);
  const open = (own: DynamoPort = port) => openMail(own, options);
  const mails = await Promise.all(Array.from({ length: count }, () => open()));
  return { clock, port, open, mails };
}

/** What DynamoDB has not removed by its time to live. */
async function itemsLeft(port: DynamoPort, now: number): Promise<string[]> {
  const { Items = [] } = await port.scan({ TableName: "mail" });
  const isLeft = (expires: string | undefined) => expires === undefined || Number(expires) * 1000 > now;
  return Items.filter(({ expires }) => isLeft(expires?.N)).map(({ pk, sk }) => `${pk?.S} ${sk?.S}`);
}

/** Removes what has expired. */
async function expire(port: DynamoPort, now: number): Promise<void> {
  const { Items = [] } = await port.scan({ TableName: "mail" });
  for (const { pk, sk, expires } of Items)
    if (pk !== undefined && sk !== undefined && Number(expires?.N ?? Number.POSITIVE_INFINITY) * 1000 <= now)
      await port.deleteItem({ TableName: "mail", Key: { pk, sk } });
}

/** The subjects of all messages. Every call must agree. */
async function visible(mail: Mail): Promise<string[]> {
  const { items } = await mail.list();
  expect(await mail.count()).toBe(items.length);
  const found = await mail.search({ kind: "containing", query: "hello" }, { total: true });
  expect(found.items.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  return items.map(({ subject }) => subject).toSorted();
}

test("a deleted inbox leaves nothing behind, and can be used again by all servers", async () => {
  const { clock, port, open, mails } = await servers(2);
  const [first, second] = mails as [Mail, Mail];
  for (let round = 0; round < 3; round++) {
    await first.store(envelope, letter(`one ${round}`));
    await second.store(envelope, letter(`two ${round}`));
    for (const mail of mails) expect(await visible(mail)).toEqual([`one ${round}`, `two ${round}`]);
    const [deleting, other] = round % 2 === 0 ? [first, second] : [second, first];
    expect(await deleting.deleteAll()).toBe(2);
    await deleting.reclaim();
    for (const mail of mails) expect(await visible(mail)).toEqual([]);
    await clock.advance(2 * day);
    expect(await itemsLeft(port, clock.now())).toEqual([]);
    await expire(port, clock.now());
    for (const mail of [other, await open()]) expect(await visible(mail)).toEqual([]);
  }
});

test("messages stay visible until they expire, however long an inbox is used", async () => {
  const { clock, port, open, mails } = await servers(2);
  const [first, second] = mails as [Mail, Mail];
  await first.store(envelope, letter("0"));
  await first.deleteAll();
  for (let n = 1; n <= 10; n++) {
    await (n % 2 === 0 ? first : second).store(envelope, letter(String(n)));
    await clock.advance(3 * day);
    await expire(port, clock.now());
    const expected = n === 1 ? ["1"] : [String(n - 1), String(n)].toSorted();
    for (const mail of [...mails, await open()]) expect(await visible(mail)).toEqual(expected);
  }
  await clock.advance(11 * day);
  expect(await itemsLeft(port, clock.now())).toEqual([]);
});

test("a message that another server commits late, after the inbox was deleted, is never seen", async () => {
  const { clock, port, open, mails } = await servers(1);
  const [first] = mails as [Mail];
  const late: InputOf<"BatchWriteItem">[] = [];
  const slow = wrapPort(port, (operation, input, options, next) => {
    if (operation !== "BatchWriteItem") return next(operation, input, options);
    late.push(input as InputOf<"BatchWriteItem">);
    throw new DynamoError({ exception: "InternalServerError", serviceMessage: "lost", ambiguous: true });
  });
  const second = await open({ ...slow, atomicBatches: true });
  await first.store(envelope, letter("old"));
  const stored = second.store(envelope, letter("late"));
  await expect(stored).rejects.toSatisfy((error) => isMailError(error, "MAIL_OUTCOME_UNKNOWN"));
  await first.deleteAll();
  await first.reclaim();
  await clock.advance(2 * day);
  await expire(port, clock.now());
  for (const input of late) await port.batchWriteItem(input);
  const third = await open();
  for (const mail of [first, second, third]) expect(await visible(mail)).toEqual([]);
  await third.store(envelope, letter("new"));
  for (const mail of [first, second, third, await open()]) expect(await visible(mail)).toEqual(["new"]);
});

test("an inbox that is deleted and used again within a minute does not show what was in it", async () => {
  const { port, open, mails } = await servers(2);
  const [first, second] = mails as [Mail, Mail];
  for (let n = 0; n < 5; n++) {
    await first.store(envelope, letter(`old ${n}`));
    await second.deleteAll();
  }
  await first.store(envelope, letter("new"));
  for (const mail of [...mails, await open()]) expect(await visible(mail)).toEqual(["new"]);
  await port.close();
});

test("watchers of a new inbox get its first message, and after it was deleted and has expired the next one", async () => {
  const { clock, port, open, mails } = await servers(2, 60_000);
  const [first, second] = mails as [Mail, Mail];
  const changes: string[] = [];
  const stop = new AbortController();
  const shown = (change: MailChange) => (change.kind === "stored" ? change.summary.subject : change.kind);
  let cursor = "";
  const watching = (async () => {
    for await (const change of first.watchChanges({ signal: stop.signal })) {
      if ("cursor" in change && change.cursor !== undefined) ({ cursor } = change);
      if (change.kind === "stored") ({ cursor } = change.summary);
      changes.push(shown(change));
    }
  })();
  const seen = async (count: number) => {
    while (changes.length < count) await clock.advance(10_000);
  };
  await clock.advance(60_000);
  await second.store(envelope, letter("first"));
  await seen(1);
  const afterFirst = cursor;
  await second.store(envelope, letter("second"));
  await seen(2);
  await second.deleteAll();
  await second.reclaim();
  await seen(3);
  await clock.advance(2 * day);
  await expire(port, clock.now());
  await (await open()).store(envelope, letter("third"));
  await seen(5);
  expect(changes).toEqual(["first", "second", "cleared", "cleared", "third"]);
  stop.abort();
  await watching;
  expect(afterFirst).not.toBe("");
  await Promise.all(mails.map((mail) => mail.close()));
});
