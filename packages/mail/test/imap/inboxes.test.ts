/** The mailboxes of named inboxes. Who may read which is decided by the caller: here, by a list. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { silentLogger, systemClock } from "@tablekeep/core";
import { expect, onTestFinished, test } from "vitest";
import { type ImapInboxes, imapServer, tableUidLog } from "../../src/imap/index.ts";
import { type Mail, openMail } from "../../src/index.ts";
import { mailOnEngine } from "../engine-mail.ts";
import { rawImap, storeAll } from "./start-imap.ts";

const letter = (subject: string) => `Subject: ${subject}\r\n\r\n`;

/** A server with a default inbox and those named here; `locked` has the token `secret`. */
async function serve(...names: string[]) {
  const { mail, port } = await mailOnEngine();
  const stores = new Map<string, Mail>();
  for (const inbox of [...names, "locked"]) stores.set(inbox, await openMail(port, { inbox }));
  const calls: string[] = [];
  const inboxes: ImapInboxes = {
    ofUser: (user) => user.split("+")[1],
    checkToken: async (inbox, token) => {
      if (inbox !== "locked") return "none";
      return token === "secret" ? "right" : "wrong";
    },
    names: async () => names,
    async open(name) {
      calls.push(`open ${name}`);
      const store = stores.get(name);
      if (store === undefined) throw new Error("not reachable");
      const watched: Mail = {
        ...store,
        async *watchChanges(options) {
          calls.push(`watch ${name}`);
          try {
            yield* store.watchChanges(options);
          } finally {
            calls.push(`end ${name}`);
          }
        },
      };
      return { mail: watched, uids: tableUidLog({ port, store: { inbox: name }, clock: systemClock }) };
    },
  };
  const uids = tableUidLog({ port, clock: systemClock });
  const { server, stop } = imapServer({ mail, uids, inboxes, clock: systemClock, logger: silentLogger });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    await stop();
    for (const store of [mail, ...stores.values()]) await store.close();
    await port.close();
  });
  const signIn = async (user: string, password = "x") => {
    const imap = await rawImap((server.address() as AddressInfo).port);
    await imap.until(/\r\n/);
    return { ...imap, answer: await imap.command(`LOGIN ${user} ${password}`) };
  };
  const storeIn = (name: string) => stores.get(name) ?? mail;
  return { mail, storeIn, signIn, calls };
}

test("are below INBOX, with their own messages, UIDs and changes", async () => {
  const { mail, storeIn, signIn } = await serve("blog", "shop");
  await storeAll(mail, ["a", "b", "c"].map(letter));
  await storeAll(storeIn("shop"), [letter("order")]);
  const { command, send, until } = await signIn("ann");
  expect(await command('LIST "" "*"')).toBe(
    [
      '* LIST (\\HasChildren) "/" INBOX',
      '* LIST (\\HasNoChildren) "/" INBOX/blog',
      '* LIST (\\HasNoChildren) "/" INBOX/shop',
      "t2 OK LIST completed\r\n",
    ].join("\r\n"),
  );
  expect(await command('LIST "" "%"')).not.toContain("INBOX/");
  expect(await command('LSUB "INBOX/" "%"')).toMatch(/^(\* LSUB .* INBOX\/(blog|shop)\r\n){2}t\d OK/);
  expect(await command("STATUS INBOX/shop (MESSAGES UIDNEXT)")).toContain(
    "* STATUS INBOX/shop (MESSAGES 1 UIDNEXT 2)\r\n",
  );
  expect(await command("STATUS INBOX/blog (MESSAGES)")).toContain("(MESSAGES 0)");
  expect(await command("SELECT inbox/Shop")).toMatch(
    /^\* 1 EXISTS\r\n[\s\S]*OK \[READ-ONLY\] INBOX\/shop selected/m,
  );
  expect(await command("FETCH 1 (UID BODY.PEEK[HEADER.FIELDS (SUBJECT)])")).toMatch(/UID 1 [\s\S]*order/);
  expect(await command("SEARCH SUBJECT order")).toContain("* SEARCH 1\r\n");
  send("i IDLE\r\n");
  await until(/\+ idling\r\n/);
  await storeAll(mail, [letter("elsewhere")]);
  await storeAll(storeIn("shop"), [letter("second order")]);
  expect(await until(/EXISTS\r\n/)).toBe("* 2 EXISTS\r\n");
  send("DONE\r\n");
  await until(/^i OK.*\r\n/m);
  expect(await command("SELECT INBOX")).toContain("* 4 EXISTS\r\n");
  for (const name of ["INBOX/none", "INBOX/locked", "shop", "INBOX/shop/x", '""'])
    expect(await command(`SELECT ${name}`)).toContain("NO [NONEXISTENT]");
  expect(await command("FETCH 1 FLAGS")).toContain(" BAD ");
});

test("a user name with an inbox selects it as INBOX, and shows no other", async () => {
  const { storeIn, signIn } = await serve("shop");
  await storeAll(storeIn("shop"), [letter("order")]);
  await storeAll(storeIn("locked"), [letter("one"), letter("two")]);
  const shop = await signIn("ann+shop");
  expect(await shop.command('LIST "" "*"')).toMatch(/^\* LIST \(\\HasNoChildren\) "\/" INBOX\r\nt\d OK/);
  expect(await shop.command("SELECT INBOX")).toContain("* 1 EXISTS\r\n");
  expect(await shop.command("SELECT INBOX/shop")).toContain("NO [NONEXISTENT]");
  expect((await signIn("ann+locked", "wrong")).answer).toContain("NO [AUTHENTICATIONFAILED]");
  const locked = await signIn("any+locked", "secret");
  expect(await locked.command("STATUS INBOX (MESSAGES)")).toContain("(MESSAGES 2)");
});

test("one that no session has selected is not open", async () => {
  const { signIn, calls } = await serve("shop", "gone");
  const [one, two] = [await signIn("ann"), await signIn("ben")];
  await one.command("SELECT INBOX/shop");
  await two.command("SELECT INBOX/shop");
  await two.command("STATUS INBOX/shop (MESSAGES)");
  await expect.poll(() => calls).toEqual(["open shop", "watch shop"]);
  await one.command("SELECT INBOX");
  await one.command("NOOP");
  expect(calls).toHaveLength(2);
  // A client that disconnects without a word.
  two.socket.destroy();
  await expect.poll(() => calls).toEqual(["open shop", "watch shop", "end shop"]);
  await one.command("SELECT INBOX/shop");
  await one.command("UNSELECT");
  await expect.poll(() => calls.filter((call) => call === "open shop")).toHaveLength(2);
  const number = (what: string) => calls.filter((call) => call.startsWith(what)).length;
  await expect.poll(() => number("watch") - number("end")).toBe(0);
});

test("one that cannot be opened is answered with NO, and can be selected later", async () => {
  const { signIn, calls, storeIn } = await serve("shop", "gone");
  const { command } = await signIn("ann+unknown");
  for (let at = 0; at < 2; at++) expect(await command("SELECT INBOX")).toContain("NO [SERVERBUG]");
  expect(calls).toEqual(["open unknown", "open unknown"]);
  await storeAll(storeIn("shop"), [letter("x")]);
  expect(await (await signIn("ann+shop")).command("SELECT INBOX")).toContain("* 1 EXISTS");
});
