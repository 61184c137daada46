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

test("a message by SMTP is in the mailbox, over TLS if there is a certificate", async () => {
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

test("without users it is not served to other machines, and without a port not at all", async () => {
  const anonymous = { ...ports, host: "0.0.0.0", httpHost: "127.0.0.1", smtpHost: "127.0.0.1", smtp: false };
  await expect(startServer(anonymous)).rejects.toMatchObject({ code: "SERVER_HOST_REFUSED" });
  await using server = await startServer({ ...ports, imapPort: undefined });
  expect(server.listeners.map(({ name }) => name)).not.toContain("imap");
});
