import { once } from "node:events";
import { connect } from "node:net";
import { systemClock } from "@tablekeep/core";
import { createChaos, defaultChaosSettings } from "@tablekeep/mail/smtp";
import { fakeClock } from "@tablekeep/testkit";
import { hashSync } from "bcryptjs";
import { expect, test } from "vitest";
import { passwordCheck, SignInThrottle } from "../../src/server/auth/password-check.ts";
import { parseUsers } from "../../src/server/auth/secret-files.ts";
import { certificate } from "./certificate.ts";
import { rawClient, rawTlsClient } from "./smtp-client.ts";
import { startSmtp } from "./start-smtp.ts";

const line = (...lines: string[]) => lines.map((each) => `${each}\r\n`).join("");
const users = parseUsers(`anna:${hashSync("right", 4)}\n`, "users");

test("STARTTLS starts a new session and discards pipelined commands", async () => {
  const { url, receiver, transcripts } = await startSmtp({ certificate });
  const client = await rawClient(url);
  expect(await client.say("EHLO me\r\n")).toContain("250-STARTTLS\r\n");
  expect(await client.say(line("STARTTLS", "MAIL FROM:<evil@x>"))).toBe("220 Ready to start TLS\r\n");
  const secured = await client.secure();
  expect(await secured.say("MAIL FROM:<a@b>\r\n")).toBe("500 Unrecognised command\r\n");
  expect(await secured.say("EHLO me\r\n")).not.toContain("STARTTLS");
  await secured.say(line("MAIL FROM:<a@b>", "DATA"), 2);
  expect(await secured.say(line("hi", ".", "QUIT"), 2)).toMatch(/^250 .*\r\n221 Bye\r\n$/);
  expect(receiver.arrived.map(({ envelope }) => envelope.from)).toEqual(["a@b"]);
  expect(transcripts.list()[0]).toMatchObject({ secure: true });
});

test("TLS from the first byte", async () => {
  const { url, receiver } = await startSmtp({ certificate, implicitTls: true });
  expect(url).toMatch(/^smtps:/);
  const client = await rawTlsClient(url);
  await client.say(line("EHLO me", "MAIL FROM:<a@b>", "DATA"), 3);
  expect(await client.say(`${"x".repeat(100_000)}\r\n.\r\n`)).toBe("250 Ok: queued as message-1\r\n");
  expect(receiver.arrived[0]?.raw.length).toBe(100_002);
});

test("notes in the transcript that a client does not use TLS", async () => {
  const { url, transcripts } = await startSmtp({ certificate, implicitTls: true });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.write("EHLO me\r\n");
  await once(socket, "close");
  await expect.poll(() => transcripts.list()[0]?.ending).toMatch(/^no TLS: /);
});

test("a client that aborts the handshake is released at once", async () => {
  const { url, transcripts } = await startSmtp({ certificate });
  const client = await rawClient(url);
  await client.say("EHLO me\r\n");
  await client.say("STARTTLS\r\n");
  client.socket.destroy();
  await expect.poll(() => transcripts.list()[0]?.ending).toBe("no TLS: the client closed the connection");
});

test("a client that is disconnected before it has read the reply to STARTTLS does not enter a handshake", async () => {
  const clock = fakeClock();
  // At 10 bytes a second the reply needs two seconds.
  const slow = {
    linkSpeedAffect: 1,
    linkSpeedMin: 10,
    linkSpeedMax: 10,
    acceptChance: 1,
    disconnectChance: 0,
  };
  const chaos = createChaos({ ...defaultChaosSettings, ...slow });
  const { url, listener, transcripts } = await startSmtp({ certificate, chaos, clock });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {}).write("STARTTLS\r\n");
  const heard = () => transcripts.list()[0]?.lines.map(({ text }) => text) ?? [];
  for (let at = 0; at < 500 && !heard().includes("220 Ready to start TLS"); at++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    await clock.advance(1_000);
  }
  expect(heard()).toContain("220 Ready to start TLS");
  await listener.stop(0);
  expect(transcripts.list()[0]?.ending).toBe("the server is stopping");
  socket.destroy();
});

test("a stop does not wait for a handshake", async () => {
  const { url, listener } = await startSmtp({ certificate, implicitTls: true });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  await listener.stop(20);
  socket.destroy();
});

test("waits for a missing handshake no longer than the limit", async () => {
  const clock = fakeClock();
  const { url, transcripts } = await startSmtp({ certificate, clock });
  const client = await rawClient(url);
  await client.say("EHLO me\r\n");
  await client.say("STARTTLS\r\n");
  await clock.advance(30_000);
  await client.rest();
  await expect.poll(() => transcripts.list()[0]?.ending).toBe("no TLS: no handshake in time");
});

test("with users and a certificate, a password is accepted only under TLS", async () => {
  const { url } = await startSmtp({
    certificate,
    checkPassword: passwordCheck(users, new SignInThrottle(systemClock)),
  });
  const auth = `AUTH PLAIN ${Buffer.from("\0anna\0right").toString("base64")}\r\n`;
  const client = await rawClient(url);
  expect(await client.say("EHLO me\r\n")).not.toContain("AUTH");
  expect(await client.say(auth)).toMatch(/^538 /);
  await client.say("STARTTLS\r\n");
  const secured = await client.secure();
  await secured.say("EHLO me\r\n");
  expect(await secured.say(auth)).toMatch(/^235 /);
});

test("rejects an unreadable certificate, and a missing one where it is required", async () => {
  const broken = { key: "x", cert: "y" };
  const refused = (option: string) => ({ code: "SERVER_OPTION_INVALID", details: { option } });
  await expect(startSmtp({ certificate: broken })).rejects.toMatchObject(refused("certificate"));
  await expect(startSmtp({ implicitTls: true })).rejects.toMatchObject(refused("implicitTls"));
});
