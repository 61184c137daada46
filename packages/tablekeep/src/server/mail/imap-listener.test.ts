import { hashSync } from "bcryptjs";
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import { expect, onTestFinished, test } from "vitest";
import { certificate } from "../../../test/smtp/certificate.ts";
import { parseTokens, parseUsers, tokenHash } from "../auth/secret-files.ts";
import { type RunningServer, startServer } from "../start-server.ts";

const ports = { memory: true, httpPort: 0, smtpPort: 0, imapPort: 0, dynamodb: false, mqtt: false };
const portOf = ({ listeners }: RunningServer, name: string) =>
  Number(new URL(listeners.find((each) => each.name === name)?.url ?? "").port);

async function signIn(server: RunningServer, user: string, pass: string): Promise<ImapFlow> {
  const imap = new ImapFlow({
    host: "127.0.0.1",
    port: portOf(server, "imap"),
    secure: false,
    auth: { user, pass },
    tls: { rejectUnauthorized: false },
    logger: false,
  });
  await imap.connect();
  onTestFinished(() => imap.close());
  return imap;
}

test("a message over SMTP is in the mailbox, over TLS if there is a certificate", async () => {
  await using server = await startServer({ ...ports, mail: { certificate } });
  const transport = createTransport({
    host: "127.0.0.1",
    port: portOf(server, "smtp"),
    tls: { rejectUnauthorized: false },
  });
  await transport.sendMail({ from: "a@example.org", to: "b@example.org", subject: "hello", text: "x" });
  transport.close();
  const imap = await signIn(server, "any", "any");
  expect(imap.secureConnection).toBe(true);
  await imap.mailboxOpen("INBOX");
  expect(await imap.fetchOne("*", { envelope: true })).toMatchObject({ envelope: { subject: "hello" } });
  await imap.logout();
});

test("its users are those of the console", async () => {
  await using server = await startServer({
    ...ports,
    users: parseUsers(`anna:${hashSync("right", 4)}\n`, "users"),
    tokens: parseTokens(`ci:${tokenHash("tk_right")}\n`, "tokens"),
  });
  await expect(signIn(server, "anna", "wrong")).rejects.toThrow();
  for (const [user, password] of [
    ["anna", "right"],
    ["ci", "tk_right"],
  ] as const)
    await (await signIn(server, user, password)).logout();
});

/** Sends a message over SMTP as a user, and defines inboxes over HTTP. */
function sender(server: RunningServer) {
  return {
    async send(user: string, subject: string) {
      const transport = createTransport({
        host: "127.0.0.1",
        port: portOf(server, "smtp"),
        auth: { user, pass: "x" },
      });
      await transport.sendMail({ from: "a@example.org", to: "b@example.org", subject, text: "x" });
      transport.close();
    },
    async define(inbox: string, settings: object, authorization?: string) {
      const url = `http://127.0.0.1:${portOf(server, "http")}/api/v3/inboxes/${inbox}`;
      const headers = new Headers(authorization === undefined ? [] : [["authorization", authorization]]);
      const answer = await fetch(url, { method: "PUT", headers, body: JSON.stringify(settings) });
      expect(answer.status).toBe(200);
    },
  };
}

/** The mailboxes that a user can list, with the subject of the newest message of each. */
async function mailboxes(server: RunningServer, user: string, pass = "any") {
  const imap = await signIn(server, user, pass);
  const found: Record<string, string | undefined> = {};
  for (const { path } of await imap.list()) {
    const { exists } = await imap.mailboxOpen(path);
    const newest = exists === 0 ? undefined : await imap.fetchOne("*", { envelope: true });
    found[path] = newest ? newest.envelope?.subject : undefined;
  }
  await imap.logout();
  return found;
}

test("each inbox without a token is a mailbox, and one with a token needs it", async () => {
  await using server = await startServer(ports);
  const { send, define } = sender(server);
  await define("own", { token: "secret-of-own" });
  await define("empty", {});
  await send("ci", "to all");
  await send("ci+own", "to own");
  await send("ci+shop", "to shop");
  expect(await mailboxes(server, "any")).toEqual({
    INBOX: "to all",
    "INBOX/empty": undefined,
    "INBOX/shop": "to shop",
  });
  expect(await mailboxes(server, "any+Shop")).toEqual({ INBOX: "to shop" });
  expect(await mailboxes(server, "any+own", "secret-of-own")).toEqual({ INBOX: "to own" });
  expect(await mailboxes(server, "any+not-there-yet")).toEqual({ INBOX: undefined });
  await expect(signIn(server, "any+own", "wrong")).rejects.toThrow();
  const imap = await signIn(server, "any", "secret-of-own");
  await expect(imap.mailboxOpen("INBOX/own")).rejects.toThrow();
});

test("users can read all inboxes, and the token of an inbox only that one", async () => {
  await using server = await startServer({
    ...ports,
    users: parseUsers(`anna:${hashSync("right", 4)}\n`, "users"),
    tokens: parseTokens(`ci:${tokenHash("tk_right")}\n`, "tokens"),
  });
  const { send, define } = sender(server);
  await define("own", { token: "secret-of-own" }, "Bearer tk_right");
  await send("x+own", "to own");
  const all = { INBOX: undefined, "INBOX/own": "to own" };
  expect(await mailboxes(server, "anna", "right")).toEqual(all);
  expect(await mailboxes(server, "ci", "tk_right")).toEqual(all);
  for (const [user, password] of [
    ["anna+own", "right"],
    ["ci+own", "tk_right"],
    ["anybody+own", "secret-of-own"],
  ] as const)
    expect(await mailboxes(server, user, password)).toEqual({ INBOX: "to own" });
  for (const [user, password] of [
    ["anna+own", "wrong"],
    ["anybody", "secret-of-own"],
    ["anybody+other", "secret-of-own"],
    ["anybody+other", ""],
  ] as const)
    await expect(signIn(server, user, password)).rejects.toThrow();
});

test("without users it is not served to other machines, and without a port not at all", async () => {
  const anonymous = { ...ports, host: "0.0.0.0", httpHost: "127.0.0.1", smtpHost: "127.0.0.1", smtp: false };
  await expect(startServer(anonymous)).rejects.toMatchObject({ code: "SERVER_HOST_REFUSED" });
  await using server = await startServer({ ...ports, imapPort: undefined });
  expect(server.listeners.map(({ name }) => name)).not.toContain("imap");
});
