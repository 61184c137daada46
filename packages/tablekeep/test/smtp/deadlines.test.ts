/** The deadlines for a command and for a message. */
import { MailError } from "@tablekeep/mail";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { memoryReceiver } from "./memory-receiver.ts";
import { rawClient } from "./smtp-client.ts";
import { startSmtp } from "./start-smtp.ts";

const line = (...lines: string[]) => lines.map((each) => `${each}\r\n`).join("");
const envelope = line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA");
const limits = { idleMs: 1_000, messageMs: 2_500 };

test.each(["begin", "write", "finish", undefined])(
  "the time of a message ends with it, even if it fails at %s",
  async (moment) => {
    const clock = fakeClock();
    const receiver = memoryReceiver((now) => {
      if (now === moment) throw new MailError("MAIL_STORE_FULL", "planted", {} as never);
    });
    const { url } = await startSmtp({ clock, receiver, limits: { ...limits, messageBytes: 10 } });
    const client = await rawClient(url);
    await client.say(envelope, 4);
    if (moment !== "begin") {
      expect(await client.say(line("x".repeat(moment === undefined ? 15 : 5), "."))).toMatch(/^[45]52 /);
    }
    for (let at = 0; at < 4; at++) {
      await clock.advance(900);
      expect(await client.say("NOOP\r\n")).toBe("250 Ok\r\n");
    }
  },
);

test("a slow command has no more time than a missing one", async () => {
  const clock = fakeClock();
  const { url } = await startSmtp({ clock, limits });
  const client = await rawClient(url);
  const drip = async () => {
    client.send("x");
    await new Promise((resolve) => setTimeout(resolve, 20));
    await clock.advance(400);
  };
  for (let at = 0; at < 3; at++) await drip();
  expect(await client.say("\r\n")).toBe("421 Too slow, closing\r\n");
});

test("a client with a slow command does not block others", async () => {
  const clock = fakeClock();
  const { url } = await startSmtp({ clock, limits: { sessions: 1 } });
  const client = await rawClient(url);
  for (let at = 0; at < 4; at++) {
    client.send("x");
    await new Promise((resolve) => setTimeout(resolve, 20));
    await clock.advance(3_000);
  }
  expect(await (await rawClient(url)).say("NOOP\r\n")).toBe("250 Ok\r\n");
  expect(await client.rest()).toBe("421 Too slow, closing\r\n");
});

test("a client that only sends NOOP does not block others, and one that is sending a message stays connected", async () => {
  const clock = fakeClock();
  const { url, transcripts } = await startSmtp({ clock, limits: { sessions: 2 } });
  const [idle, busy] = [await rawClient(url), await rawClient(url)];
  await busy.say(line("EHLO me", "MAIL FROM:<a@b>"), 2);
  for (let at = 0; at < 4; at++) {
    await clock.advance(3_000);
    expect(await idle.say("NOOP\r\n")).toBe("250 Ok\r\n");
    expect(await busy.say("RCPT TO:<c@d>\r\n")).toBe("250 Recipient c@d ok\r\n");
  }
  expect(await (await rawClient(url)).say("NOOP\r\n")).toBe("250 Ok\r\n");
  expect(await idle.rest()).toBe("421 Too slow, closing\r\n");
  expect(transcripts.list().at(-1)?.ending).toBe("closed in favor of another session");
  expect(await busy.say("DATA\r\n")).toMatch(/^354 /);
});

test("an endless message that never pauses is cut off in time, too", async () => {
  const clock = fakeClock();
  let written = 0;
  const receiver = memoryReceiver(async (moment, bytes) => {
    if (moment !== "write") return;
    written += bytes;
    await clock.advance(100);
  });
  const { url } = await startSmtp({ clock, receiver, limits });
  const client = await rawClient(url);
  await client.say(envelope, 4);
  client.send(Buffer.alloc(20 * 1024 * 1024, "x\r\n"));
  expect(await client.say("")).toBe("421 Too slow, closing\r\n");
  expect(written).toBeLessThan(5 * 1024 * 1024);
  expect(receiver.arrived).toHaveLength(0);
});

test("a client that is silent within a message for a minute does not block others", async () => {
  const clock = fakeClock();
  const patient = { sessions: 1, idleMs: 1e9, messageMs: 1e9 };
  const { url, receiver, transcripts } = await startSmtp({ clock, limits: patient });
  const silent = await rawClient(url);
  await silent.say(envelope, 4);
  await clock.advance(20_000);
  expect(await (await rawClient(url)).rest()).toBe("");
  expect(transcripts.list()[0]?.ending).toBe("rejected: too many sessions");
  const next = async () => {
    await clock.advance(60_000);
    return (await rawClient(url)).say("NOOP\r\n");
  };
  await expect.poll(next).toBe("250 Ok\r\n");
  expect(await silent.rest()).toMatch(/^421 /);
  await expect.poll(() => receiver.discarded).toHaveLength(1);
});
