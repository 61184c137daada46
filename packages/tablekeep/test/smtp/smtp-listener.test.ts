import { once } from "node:events";
import { connect } from "node:net";
import { systemClock } from "@tablekeep/core";
import { MailError } from "@tablekeep/mail";
import { createChaos, defaultChaosSettings } from "@tablekeep/mail/smtp";
import { fakeClock } from "@tablekeep/testkit";
import { hashSync } from "bcryptjs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { passwordCheck, SignInThrottle } from "../../src/server/auth/password-check.ts";
import { parseUsers } from "../../src/server/auth/secret-files.ts";
import { memoryReceiver } from "./memory-receiver.ts";
import { rawClient } from "./smtp-client.ts";
import { startSmtp } from "./start-smtp.ts";

const line = (...lines: string[]) => lines.map((each) => `${each}\r\n`).join("");
const envelope = line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA");

/** A promise that a test settles. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe("a session", () => {
  test("answers commands that arrive in one segment in order, even after the message", async () => {
    const { url, receiver } = await startSmtp();
    const client = await rawClient(url);
    const said = await client.say(envelope + line("Subject: x", "", "hi", ".", "NOOP", "QUIT"), 7);
    expect(said.match(/^\d{3} /gm)?.map(Number)).toEqual([250, 250, 250, 354, 250, 250, 221]);
    expect(said).toContain("250 Ok: queued as message-1\r\n");
    expect(receiver.arrived).toMatchObject([{ envelope: { from: "a@b", to: ["c@d"], helo: "me" } }]);
    expect(receiver.arrived[0]?.raw.toString()).toBe("Subject: x\r\n\r\nhi\r\n");
  });

  test("reads everything from a client that closes its side at once", async () => {
    const { url, receiver } = await startSmtp();
    const client = await rawClient(url);
    client.socket.end(envelope + line("hi", ".", "QUIT"));
    expect(await client.rest()).toMatch(/queued as message-1\r\n221 Bye\r\n$/);
    expect(receiver.arrived).toHaveLength(1);
  });

  test("acknowledges a message only after it is stored", async () => {
    const { opened, open } = gate();
    const receiver = memoryReceiver((moment) => (moment === "finish" ? opened : undefined));
    const { url } = await startSmtp({ receiver });
    const client = await rawClient(url);
    await client.say(envelope, 4);
    const answered = client.say(line("hi", "."));
    const first = await Promise.race([
      answered,
      new Promise((resolve) => setTimeout(resolve, 50, "silence")),
    ]);
    expect(first).toBe("silence");
    open();
    expect(await answered).toBe("250 Ok: queued as message-1\r\n");
  });

  test.each([
    ["MAIL_STORE_UNAVAILABLE", "finish", 451],
    ["MAIL_OUTCOME_UNKNOWN", "finish", 451],
    ["MAIL_STORE_FULL", "finish", 452],
    ["MAIL_STORE_FULL", "write", 452],
    ["MAIL_MESSAGE_TOO_LARGE", "write", 552],
    ["MAIL_STORE_REFUSED", "finish", 554],
    ["MAIL_STORE_REFUSED", "begin", 554],
  ] as const)("%s at %s is reported as %i, and the session continues", async (code, when, expected) => {
    const ambiguous = code === "MAIL_OUTCOME_UNKNOWN";
    const receiver = memoryReceiver((moment) => {
      if (moment === when) throw new MailError(code, "planted", {} as never, { ambiguous });
    });
    const { url, transcripts } = await startSmtp({ receiver });
    const client = await rawClient(url);
    const said = await client.say(envelope, 4);
    const answer = when === "begin" ? said.slice(said.lastIndexOf("\n5")) : await client.say(line("hi", "."));
    expect(answer.trim()).toMatch(new RegExp(`^${expected} `));
    expect(await client.say("NOOP\r\n")).toBe("250 Ok\r\n");
    expect(receiver.arrived).toHaveLength(0);
    expect(receiver.discarded).toHaveLength(when === "write" ? 1 : 0);
    expect(transcripts.list()[0]).toMatchObject({ failed: 1, stored: [] });
    expect(transcripts.list()[0]?.lines.map(({ text }) => text)).toContain(
      "the message was not stored: planted",
    );
  });

  test("discards an incomplete message", async () => {
    const { url, receiver, transcripts } = await startSmtp();
    const client = await rawClient(url);
    await client.say(envelope, 4);
    client.send("half a mess");
    client.socket.end();
    await client.rest();
    await expect.poll(() => receiver.discarded).toEqual(["message-1"]);
    expect(receiver.arrived).toHaveLength(0);
    expect(transcripts.list()[0]).toMatchObject({ ending: "the client closed the connection", failed: 1 });
  });

  test("waits for the store before it reads further", async () => {
    const { opened, open } = gate();
    let written = 0;
    const receiver = memoryReceiver(async (moment, bytes) => {
      if (moment !== "write") return;
      written += bytes;
      await opened;
    });
    const { url } = await startSmtp({ receiver });
    const client = await rawClient(url);
    await client.say(envelope, 4);
    const size = 30 * 1024 * 1024;
    const sentAll = new Promise<void>((resolve) => {
      client.socket.write(Buffer.alloc(size, "x\r\n"), () => resolve());
    });
    const first = await Promise.race([
      sentAll,
      new Promise((resolve) => setTimeout(resolve, 200, "held back")),
    ]);
    expect(first).toBe("held back");
    expect(written).toBeLessThan(1024 * 1024);
    open();
    await sentAll;
    expect(await client.say("\r\n.\r\n")).toMatch(/^250 /);
    expect(receiver.arrived[0]?.raw.length).toBe(size + 2);
  });
});

describe("users", () => {
  const users = parseUsers(`anna:${hashSync("right", 4)}\n`, "users");
  const plain = (text: string) => `AUTH PLAIN ${Buffer.from(text).toString("base64")}\r\n`;

  test("with users, a message requires authentication", async () => {
    const { url, receiver } = await startSmtp({
      checkPassword: passwordCheck(users, new SignInThrottle(systemClock)),
    });
    const client = await rawClient(url);
    expect(await client.say("EHLO me\r\n")).toMatch(/250 AUTH PLAIN LOGIN\r\n$/);
    expect(await client.say("MAIL FROM:<a@b>\r\n")).toBe("530 Authentication required\r\n");
    expect(await client.say(plain("\0anna\0wrong"))).toBe("535 Authentication failed\r\n");
    expect(await client.say(plain("\0nobody\0right"))).toBe("535 Authentication failed\r\n");
    expect(await client.say(plain("\0anna\0right"))).toBe("235 Authentication successful\r\n");
    await client.say(line("MAIL FROM:<a@b>", "DATA"), 2);
    await client.say(".\r\n");
    expect(receiver.arrived[0]?.envelope.user).toBe("anna");
  });

  test("without users, any password is accepted", async () => {
    const { url } = await startSmtp();
    const client = await rawClient(url);
    await client.say("EHLO me\r\n");
    expect(await client.say(plain("\0anybody\0anything"))).toBe("235 Authentication successful\r\n");
  });
});

describe("limits", () => {
  test("a session above the limit is rejected temporarily", async () => {
    const { url, transcripts } = await startSmtp({ limits: { sessions: 1 } });
    const client = await rawClient(url);
    const second = await rawClient(url);
    expect(await second.rest()).toBe("");
    expect(transcripts.list().map(({ ending }) => ending)).toEqual([
      "rejected: too many sessions",
      undefined,
    ]);
    await client.say("QUIT\r\n");
    await client.rest();
    await expect.poll(async () => (await rawClient(url)).say("NOOP\r\n")).toBe("250 Ok\r\n");
  });

  test("many silent clients do not block others", async () => {
    const clock = fakeClock();
    const { url, transcripts } = await startSmtp({ clock, limits: { sessions: 2 } });
    const silent = await rawClient(url);
    await clock.advance(5_000);
    const busy = await rawClient(url);
    await busy.say(envelope, 4);
    await clock.advance(10_000);
    const next = await rawClient(url);
    expect(await next.say("NOOP\r\n")).toBe("250 Ok\r\n");
    expect(await silent.rest()).toMatch(/^421 /);
    expect(transcripts.list().at(-1)?.ending).toBe("closed in favor of another session");
    expect(await busy.say(line("hi", "."))).toMatch(/^250 /);
  });

  test("a silent client is disconnected after the idle timeout, not before", async () => {
    const clock = fakeClock();
    const { url, transcripts } = await startSmtp({ clock, limits: { idleMs: 1_000 } });
    const client = await rawClient(url);
    await clock.advance(999);
    expect(await client.say("NOOP\r\n")).toBe("250 Ok\r\n");
    await clock.advance(999);
    expect(transcripts.list()[0]?.ended).toBeUndefined();
    await clock.advance(1);
    expect(await client.say("")).toBe("421 Too slow, closing\r\n");
    await expect.poll(() => transcripts.list()[0]?.ending).toBe("the client was silent for too long");
  });

  test("a slow message is cut off, however often data arrives", async () => {
    const clock = fakeClock();
    let written = 0;
    const receiver = memoryReceiver((_moment, bytes) => {
      written += bytes;
    });
    const { url } = await startSmtp({ receiver, clock, limits: { idleMs: 1_000, messageMs: 2_500 } });
    const client = await rawClient(url);
    await client.say(envelope, 4);
    for (let at = 0; at < 3; at++) {
      client.send("x");
      await expect.poll(() => written).toBe(at + 1);
      await clock.advance(900);
    }
    expect(await client.say("")).toBe("421 Too slow, closing\r\n");
    await expect.poll(() => receiver.discarded).toHaveLength(1);
  });
});

describe("stopping", () => {
  test("disconnects idle clients and stores a message in flight", async () => {
    const { opened, open } = gate();
    const receiver = memoryReceiver((moment) => (moment === "finish" ? opened : undefined));
    const { url, listener } = await startSmtp({ receiver });
    const idle = await rawClient(url);
    const busy = await rawClient(url);
    await busy.say(envelope, 4);
    const stopped = listener.stop(15_000);
    expect(await idle.rest()).toBe("421 Service shutting down\r\n");
    const answered = busy.rest();
    busy.send(line("hi", "."));
    open();
    expect(await answered).toBe(line("250 Ok: queued as message-1", "421 Service shutting down"));
    idle.socket.destroy();
    busy.socket.destroy();
    await stopped;
    expect(receiver.arrived).toHaveLength(1);
  });

  test("aborts a message that exceeds the grace period", async () => {
    const { url, listener, receiver } = await startSmtp();
    const client = await rawClient(url);
    await client.say(envelope, 4);
    client.send("hi");
    await listener.stop(20);
    await client.rest();
    expect(receiver.discarded).toHaveLength(1);
  });
});

describe("chaos", () => {
  const calm = {
    ...defaultChaosSettings,
    acceptChance: 1,
    disconnectChance: 0,
    linkSpeedAffect: 0,
    rejectSenderChance: 0,
    rejectRecipientChance: 0,
    rejectAuthChance: 0,
  };

  test("rejects senders, recipients and authentication with MailHog's replies", async () => {
    const chaos = createChaos({ ...calm, rejectSenderChance: 1 });
    const { url } = await startSmtp({ chaos });
    const sender = await rawClient(url);
    expect(await sender.say(line("EHLO me", "MAIL FROM:<a@b>"), 2)).toMatch(/550 Invalid sender a@b\r\n$/);
    chaos.start({ ...calm, rejectRecipientChance: 1, rejectAuthChance: 1 });
    const other = await rawClient(url);
    expect(await other.say(line("EHLO me", "AUTH PLAIN"), 2)).toMatch(/500 Unrecognised command\r\n$/);
    const said = await other.say(line("MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"), 3);
    expect(said).toBe(line("250 Sender a@b ok", "550 Invalid recipient c@d", "554 No valid recipients"));
    expect(await sender.say("MAIL FROM:<a@b>\r\n")).toMatch(/^550 /);
  });

  test("closes connections at the start and in the middle, and reports that only in the transcript", async () => {
    const chaos = createChaos({ ...calm, acceptChance: 0 });
    const { url, transcripts, receiver } = await startSmtp({ chaos });
    expect(await (await rawClient(url)).rest()).toBe("");
    chaos.start({ ...calm, disconnectChance: 1 });
    const client = await rawClient(url);
    expect(await client.say("EHLO me\r\n")).toBe("");
    await expect
      .poll(() => transcripts.list().map(({ ending }) => ending))
      .toEqual(["chaos: disconnected", "chaos: not accepted"]);
    chaos.start({ ...calm, disconnectChance: 0.05, seed: "3" });
    const cut = await rawClient(url);
    cut.send(envelope);
    cut.send(Buffer.alloc(1024 * 1024, "x\r\n"));
    await cut.rest();
    await expect.poll(() => receiver.discarded).toHaveLength(1);
  });

  test("repeats the same faults with a seed", async () => {
    const settings = {
      ...calm,
      acceptChance: 0.7,
      disconnectChance: 0.1,
      rejectRecipientChance: 0.5,
      seed: "again",
    };
    const outcomes = async () => {
      const { url, transcripts } = await startSmtp({ chaos: createChaos(settings) });
      for (let at = 0; at < 12; at++) {
        const client = await rawClient(url);
        for (const command of ["EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "RCPT TO:<e@f>", "QUIT"]) {
          await client.say(`${command}\r\n`);
        }
        client.socket.destroy();
      }
      await expect.poll(() => transcripts.list().every(({ ended }) => ended !== undefined)).toBe(true);
      return transcripts.list().map(({ ending, lines }) => [ending, lines.map(({ text }) => text)]);
    };
    const first = await outcomes();
    expect(await outcomes()).toEqual(first);
    expect(new Set(first.map(([ending]) => ending)).size).toBeGreaterThan(1);
  });

  test("slows a connection down to its speed", async () => {
    const clock = fakeClock();
    const chaos = createChaos({ ...calm, linkSpeedAffect: 1, linkSpeedMin: 100, linkSpeedMax: 100 });
    const { url, transcripts } = await startSmtp({ chaos, clock });
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    await once(socket, "connect");
    let heard = "";
    socket.on("data", (chunk) => {
      heard += chunk;
    });
    await expect.poll(() => transcripts.list()[0]?.lines.length).toBe(1);
    expect(heard).toBe("");
    await clock.advance(400);
    await expect.poll(() => heard).toBe("220 mailhog.example ESMTP MailHog\r\n");
    socket.destroy();
  });
});

test("survives random bytes on many connections", async () => {
  const { url, receiver, transcripts } = await startSmtp();
  const word = fc.constantFrom(
    "EHLO x\r\n",
    "MAIL FROM:<a@b>\r\n",
    "DATA\r\n",
    "\r\n.\r\n",
    "AUTH LOGIN\r\n",
    "\n",
    "QUIT\r\n",
  );
  const bytes = fc
    .array(fc.oneof(word, fc.string({ unit: "binary", maxLength: 20 })), { maxLength: 40 })
    .map((parts) => Buffer.from(parts.join(""), "latin1"));
  const inputs = fc.sample(bytes, { numRuns: 60, seed: 7 });
  const talks = inputs.map(async (input, at) => {
    const client = await rawClient(url);
    client.send(input);
    // Some send QUIT, others just disconnect.
    if (at % 2 === 0) client.socket.end();
    else client.socket.destroy();
    return client.rest();
  });
  for (const said of await Promise.all(talks)) {
    for (const reply of said.split("\r\n").slice(0, -1)) expect(reply).toMatch(/^[2-5]\d\d[ -]/);
  }
  await expect.poll(() => transcripts.list().every(({ ended }) => ended !== undefined)).toBe(true);
  const before = receiver.arrived.length;
  const client = await rawClient(url);
  await client.say(envelope, 4);
  expect(await client.say(line("hi", "."))).toMatch(/^250 Ok: queued as /);
  expect(receiver.arrived).toHaveLength(before + 1);
});

test("the transcript has the dialogue, without passwords and without the message", async () => {
  const { url, transcripts } = await startSmtp();
  const client = await rawClient(url);
  await client.say(line("EHLO me", "AUTH LOGIN", "c2VjcmV0", "c2VjcmV0", "MAIL a@b"), 5);
  await client.say(line("MAIL FROM:<a@b>", "DATA"), 2);
  await client.say(line("hidden", ".", "QUIT"), 2);
  await client.rest();
  await expect.poll(() => transcripts.list()[0]?.ended).toBeDefined();
  const [transcript] = transcripts.list();
  const texts = transcript?.lines.map(({ by, text }) => `${by} ${text}`) ?? [];
  expect(texts).toContain("> MAIL a@b");
  expect(texts).toContain("< 550 Invalid syntax in MAIL command");
  expect(texts).toContain("* 8 bytes of message");
  expect(texts.join("\n")).not.toMatch(/c2VjcmV0|hidden/);
  expect(transcript).toMatchObject({ stored: ["message-1"], failed: 0, secure: false });
  expect(transcript?.client).toMatch(/^127\.0\.0\.1:\d+$/);
});
