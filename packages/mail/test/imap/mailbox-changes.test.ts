/** The mailbox while other actors change the store. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Logger, silentLogger, systemClock } from "@tablekeep/core";
import { expect, onTestFinished, test } from "vitest";
import { type ImapMail, imapServer } from "../../src/imap/index.ts";
import { openMail } from "../../src/index.ts";
import { mailOnEngine } from "../engine-mail.ts";
import { rawImap, storeAll } from "./start-imap.ts";

const dayMs = 86_400_000;

async function serve(mail: ImapMail, logger: Logger = silentLogger) {
  const { server, stop } = imapServer({ mail, clock: systemClock, logger });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(stop);
  const imap = await rawImap((server.address() as AddressInfo).port);
  await imap.until(/\r\n/);
  await imap.command("LOGIN a b");
  return imap;
}

test("marks and deletes by another instance arrive", async () => {
  const { mail, port } = await mailOnEngine({ pollMs: 20 });
  const other = await openMail(port);
  onTestFinished(() => Promise.all([mail.close(), other.close()]).then(() => port.close()));
  const [first = "", second = ""] = await storeAll(mail, ["Subject: a\r\n\r\n", "Subject: b\r\n\r\n"]);
  const { command } = await serve(mail);
  expect(await command("SELECT INBOX")).toContain("[UNSEEN 1]");
  await other.mark([first], { read: true, addTags: ["x"] });
  await expect.poll(() => command("NOOP")).toContain("* 1 FETCH (UID 1 FLAGS (\\Seen x))\r\n");
  expect(await command("NOOP")).not.toContain("FETCH");
  await other.deleteOne(second);
  await expect.poll(() => command("NOOP")).toContain("* 2 EXPUNGE\r\n");
  expect(await command("SELECT INBOX")).not.toContain("UNSEEN");
});

test("a mark during a listing is not lost", async () => {
  const { mail, port } = await mailOnEngine();
  onTestFinished(() => mail.close().then(() => port.close()));
  const [first = ""] = await storeAll(mail, ["Subject: a\r\n\r\n"]);
  let afterPage = async () => {};
  const slow: ImapMail = {
    // Another number than the known one, so that every SELECT lists the messages.
    count: async () => -1,
    load: (id, options) => mail.load(id, options),
    search: (search, options) => mail.search(search, options),
    summary: (id, options) => mail.summary(id, options),
    watchChanges: (options) => mail.watchChanges(options),
    async list(options) {
      const page = await mail.list(options);
      await afterPage();
      return page;
    },
  };
  const { command } = await serve(slow);
  await command("SELECT INBOX");
  await mail.mark([first], { addTags: ["before"] });
  await expect.poll(() => command("NOOP")).toContain("FLAGS (before)");
  // The mark comes after the page was read, and is reported before the listing ends.
  let isMarked = false;
  afterPage = async () => {
    if (isMarked) return;
    isMarked = true;
    const stop = new AbortController();
    const reported = mail.watchChanges({ after: first, signal: stop.signal })[Symbol.asyncIterator]();
    await mail.mark([first], { read: true });
    for (let next = await reported.next(); !next.done; next = await reported.next())
      if (next.value.kind === "marked" && next.value.messages[0]?.read) stop.abort();
  };
  await command("SELECT INBOX");
  expect(isMarked).toBe(true);
  await expect.poll(() => command("FETCH 1 FLAGS")).toContain("(\\Seen before)");
  expect(await command("FETCH 1 FLAGS")).toContain("(\\Seen before)");
});

test("a mailbox whose newest message is older than stored changes is listed once more, and followed", async () => {
  let now = Date.now() - 3 * dayMs;
  const clock = { ...systemClock, now: () => now };
  const { mail, port } = await mailOnEngine({ clock });
  onTestFinished(() => mail.close().then(() => port.close()));
  const [first = ""] = await storeAll(mail, ["Subject: old\r\n\r\n"]);
  now += 2 * dayMs;
  const warnings: string[] = [];
  let lists = 0;
  const counted: ImapMail = Object.assign(Object.create(mail) as typeof mail, {
    list: (options: Parameters<typeof mail.list>[0]) => {
      lists++;
      return mail.list(options);
    },
  });
  const { command } = await serve(counted, { ...silentLogger, warn: (text) => void warnings.push(text) });
  await command("SELECT INBOX");
  await mail.mark([first], { read: true });
  await expect.poll(() => command("FETCH 1 FLAGS")).toContain("(\\Seen)");
  await mail.mark([first], { read: false });
  await expect.poll(() => command("FETCH 1 FLAGS")).toContain("FLAGS ()");
  expect({ lists, warnings }).toEqual({ lists: 2, warnings: [] });
});
