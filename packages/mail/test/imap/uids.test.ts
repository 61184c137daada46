/** UIDs across restarts and servers, as a client that caches needs them. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { DynamoError, type DynamoPort, silentLogger, systemClock, wrapPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { ImapFlow } from "imapflow";
import { expect, onTestFinished, test } from "vitest";
import { imapServer, tableUidLog } from "../../src/imap/index.ts";
import { type Mail, openMail } from "../../src/index.ts";
import { engineWithMail, mailOnEngine } from "../engine-mail.ts";
import { storeAll } from "./start-imap.ts";

const letter = (subject: string) => `Subject: ${subject}\r\n\r\n`;

async function table() {
  const { mail, port } = await mailOnEngine({ pollMs: 20 });
  onTestFinished(() => mail.close().then(() => port.close()));
  return { mail, port };
}

/** A server on a table, with a client that has selected its mailbox. */
async function serve(mail: Mail, port: DynamoPort) {
  const uids = tableUidLog({ port, clock: systemClock });
  const { server, stop } = imapServer({ mail, uids, clock: systemClock, logger: silentLogger });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const imap = new ImapFlow({
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    secure: false,
    auth: { user: "a", pass: "b" },
    logger: false,
  });
  await imap.connect();
  const { uidValidity, uidNext } = await imap.mailboxOpen("INBOX");
  /** Subjects by UID, from a UID on. */
  const fetched = async (from = 1) => {
    const found: Record<number, string> = {};
    for await (const { uid, envelope } of imap.fetch(`${from}:*`, { envelope: true }, { uid: true }))
      if (uid >= from) found[uid] = envelope?.subject ?? "";
    return found;
  };
  const end = async () => {
    imap.close();
    await stop();
  };
  onTestFinished(end);
  return { imap, validity: Number(uidValidity), next: Number(uidNext), fetched, end };
}

test("stay the same after a restart, and none is used twice", async () => {
  const { mail, port } = await table();
  const [first = ""] = await storeAll(mail, ["a", "b", "c"].map(letter));
  const before = await serve(mail, port);
  expect(await before.fetched()).toEqual({ 1: "a", 2: "b", 3: "c" });
  await before.end();
  await mail.deleteOne(first);
  await storeAll(mail, [letter("d")]);
  const after = await serve(mail, port);
  expect(after.validity).toBe(before.validity);
  expect(await after.fetched()).toEqual({ 2: "b", 3: "c", 4: "d" });
  await after.end();
  await mail.deleteAll();
  const last = await serve(mail, port);
  expect(last).toMatchObject({ validity: before.validity, next: 5 });
  await storeAll(mail, [letter("e")]);
  await expect.poll(() => last.fetched()).toEqual({ 5: "e" });
});

test("are the same on two servers, and a client that reads from the next UID on misses nothing", async () => {
  const { mail, port } = await table();
  const other = await openMail(port, { pollMs: 20 });
  onTestFinished(() => other.close());
  await storeAll(
    mail,
    Array.from({ length: 150 }, (_, at) => letter(`old ${at}`)),
  );
  const servers = await Promise.all([serve(mail, port), serve(other, port)]);
  const [one, two] = servers;
  expect(two.validity).toBe(one.validity);
  const caches = [await one.fetched(), await two.fetched()];
  expect(Object.keys(caches[0] ?? {})).toHaveLength(150);
  const sending = Promise.all(
    [mail, other].map((store, at) =>
      storeAll(
        store,
        Array.from({ length: 60 }, (_, n) => letter(`new ${at} ${n}`)),
      ),
    ),
  );
  await expect
    .poll(async () => {
      for (const [at, cache] of caches.entries()) {
        const next = Math.max(...Object.keys(cache).map(Number)) + 1;
        await servers[at]?.imap.noop();
        Object.assign(cache, await servers[at]?.fetched(next));
      }
      return caches.map((cache) => Object.keys(cache).length);
    })
    .toEqual([270, 270]);
  await sending;
  expect(caches[1]).toEqual(caches[0]);
  expect(new Set(Object.values(caches[0] ?? {})).size).toBe(270);
  // A later reader of the whole log gets the same.
  const third = await serve(other, port);
  expect(await third.fetched()).toEqual(caches[0]);
});

test("are given once although answers get lost", async () => {
  const { port } = await table();
  let writes = 0;
  const lossy = wrapPort(port, async (operation, input, options, next) => {
    const answer = await next(operation, input, options);
    const isWrite = /^(Put|Update|TransactWrite)/.test(operation);
    if (isWrite && ++writes % 3 === 0)
      throw new DynamoError({ exception: "InternalServerError", serviceMessage: "lost", ambiguous: true });
    return answer;
  });
  const ids = Array.from({ length: 230 }, (_, at) => `id-${at}`);
  /** Numbers all ids, a few at a time, as the mailbox of a server does. */
  const number = async (step: number) => {
    const log = tableUidLog({ port: lossy, clock: systemClock });
    const uids = new Map<string, number>();
    for (;;) {
      for (const { id, uid } of await log.read({})) {
        expect(uids.has(id)).toBe(false);
        uids.set(id, uid);
      }
      const missing = ids.filter((id) => !uids.has(id)).slice(0, step);
      if (missing.length === 0) return [...uids];
      await log.append(missing, {});
    }
  };
  const [one, two] = await Promise.all([number(7), number(11)]);
  expect(two).toEqual(one);
  expect(one.map(([, uid]) => uid)).toEqual(ids.map((_, at) => at + 1));
});

test("continue behind those of pages that have expired", async () => {
  let now = Date.now();
  const clock = { ...systemClock, now: () => now };
  const { port } = await table();
  const log = tableUidLog({ port, clock });
  await log.read({});
  await log.append(["a", "b"], {});
  expect(await log.read({})).toEqual([
    { uid: 1, id: "a" },
    { uid: 2, id: "b" },
  ]);
  expect(log.nextUid).toBe(3);
  const item = { pk: { S: "imap" }, sk: { S: "p00000001" } };
  const stored = await port.getItem({ TableName: "mail", Key: item });
  expect(Number(stored.Item?.["expires"]?.N) * 1000).toBeGreaterThan(now + 8 * 86_400_000);
  // As DynamoDB does.
  now += 10 * 86_400_000;
  await port.deleteItem({ TableName: "mail", Key: item });
  const later = tableUidLog({ port, clock });
  for (const each of [later, log]) {
    expect(await each.read({})).toEqual([]);
    expect(each.nextUid).toBe(101);
  }
  expect(later.validity).toBe(log.validity);
  await later.append(["c"], {});
  expect(await later.read({})).toEqual([{ uid: 101, id: "c" }]);
});

test("of a named inbox expire once it is no longer read, and begin again with another validity", async () => {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
  const port = await engineWithMail({ clock });
  onTestFinished(() => port.close());
  const open = () => tableUidLog({ port, store: { inbox: "shop", ttlDays: 7 }, clock });
  const items = async () => (await port.scan({ TableName: "mail" })).Items ?? [];
  const day = 86_400_000;
  const first = open();
  expect(await first.read({})).toEqual([]);
  await first.append(["a", "b"], {});
  expect((await first.read({})).map(({ uid }) => uid)).toEqual([1, 2]);
  const { validity } = first;
  // It is read every 20 days, and stays.
  for (let n = 0; n < 3; n++) {
    await clock.advance(20 * day);
    const later = open();
    await later.read({});
    expect(later.validity).toBe(validity);
  }
  await clock.advance(40 * day);
  for (const { pk, sk, expires } of await items()) {
    expect(Number(expires?.N) * 1000).toBeLessThan(clock.now());
    if (pk !== undefined && sk !== undefined) await port.deleteItem({ TableName: "mail", Key: { pk, sk } });
  }
  for (const uids of [open(), first]) {
    await uids.read({});
    await uids.append(["c"], {});
    await uids.read({});
    expect(uids.validity).toBeGreaterThan(validity);
  }
  const [, ...rest] = await open().read({});
  expect(rest.map(({ id }) => id)).toEqual(["c"]);
});
