import { once } from "node:events";
import { createServer } from "node:net";
import { systemClock } from "@tablekeep/core";
import { hashSync } from "bcryptjs";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { certificate } from "../../../test/smtp/certificate.ts";
import { memoryReceiver } from "../../../test/smtp/memory-receiver.ts";
import { startSmtp } from "../../../test/smtp/start-smtp.ts";
import { passwordCheck, SignInThrottle } from "../auth/password-check.ts";
import { parseUsers } from "../auth/secret-files.ts";
import type { Relay } from "./relays.ts";
import { createReleaser } from "./releaser.ts";

const message = (text: string, from = "a@b.example") => ({
  raw: Buffer.from(text, "latin1"),
  envelope: { from, to: ["c@d.example", "e@f.example"], helo: "me" },
});

const releaserTo = (relay: Partial<Relay> & { port: number }) =>
  createReleaser({
    relays: new Map([["r", { name: "r", host: "127.0.0.1", ...relay }]]),
    hostname: "mailhog.example",
    clock: systemClock,
    findAddresses: () => Promise.resolve(["127.0.0.1"]),
  });

/** A server that sends these replies, one for each line it receives, and then nothing, or closes. */
async function scripted(replies: readonly string[], hangUp: boolean): Promise<number> {
  const server = createServer((socket) => {
    const left = [...replies];
    socket.on("error", () => {});
    const answer = () => {
      const reply = left.shift();
      if (reply !== undefined) socket.write(`${reply}\r\n`);
      else if (hangUp) socket.destroy();
    };
    answer();
    socket.on("data", answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

test("sends a message unchanged to the requested recipient, from its original sender", async () => {
  const { port, receiver } = await startSmtp();
  const releaser = releaserTo({ port, email: "default@x.example" });
  await releaser.release(message("Subject: x\r\n\r\n.\r\nhi\r\n"), {
    relay: { name: "r" },
    to: "to@x.example",
  });
  await releaser.release(message("hi\r\n", ""), { relay: { host: "127.0.0.1", port } });
  expect(
    receiver.arrived.map(({ envelope, raw }) => [envelope.from, envelope.to, envelope.helo, raw.toString()]),
  ).toEqual([
    ["a@b.example", ["to@x.example"], "mailhog.example", "Subject: x\r\n\r\n.\r\nhi\r\n"],
    ["", ["default@x.example"], "mailhog.example", "hi\r\n"],
  ]);
});

test("uses only configured relays", async () => {
  const { port, receiver } = await startSmtp();
  const releaser = releaserTo({ port });
  for (const relay of [
    { name: "other" },
    { host: "127.0.0.1", port: port + 1 },
    { host: "localhost", port },
  ]) {
    await expect(releaser.release(message("x"), { relay, to: "to@x" })).rejects.toMatchObject({
      code: "RELEASE_RELAY_UNKNOWN",
      kind: "denied",
    });
  }
  expect(receiver.arrived).toHaveLength(0);
});

test.each(["", "nobody", "a@b\r\nRCPT TO:<x@y>", "a b@c", "<a@b>", "a@b>", "a@b,c@d", "a\0@b", "a@b c"])(
  "rejects %j as a recipient",
  async (to) => {
    const { port, receiver } = await startSmtp();
    const released = releaserTo({ port }).release(message("x"), { relay: { name: "r" }, to });
    await expect(released).rejects.toMatchObject({ code: "RELEASE_RECIPIENT_INVALID" });
    expect(receiver.arrived).toHaveLength(0);
  },
);

test("the relay receives one message for one recipient, for any content", async () => {
  const { port, receiver } = await startSmtp();
  const releaser = releaserTo({ port });
  const piece = fc.constantFrom("\r", "\n", ".", "\r\n", "\n.\n", "\r.\r", "MAIL FROM:<evil@x>", "RSET", "a");
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 30 }),
      fc.string({ unit: "binary" }),
      async (pieces, from) => {
        const before = receiver.arrived.length;
        const text = pieces.join("");
        await releaser.release(message(text, from), { relay: { name: "r" }, to: "to@x" });
        const arrived = receiver.arrived.slice(before);
        expect(arrived.map(({ envelope }) => envelope.to)).toEqual([["to@x"]]);
        const whole = text.replace(/\r\n|\r|\n/g, "\r\n");
        expect(arrived[0]?.raw.toString("latin1")).toBe(
          /(^|\r\n)$/.test(whole) && whole !== "" ? whole : `${whole}\r\n`,
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("sends a password to a relay that requires it, and only under TLS unless the relay is on loopback", async () => {
  const users = parseUsers(`anna:${hashSync("right", 4)}\n`, "users");
  const checkPassword = passwordCheck(users, new SignInThrottle(systemClock));
  const { port, receiver } = await startSmtp({ checkPassword });
  const login = { username: "anna", password: "right", mechanism: "LOGIN" } as const;
  const here = releaserTo({ port, host: "localhost", ...login });
  await here.release(message("x"), { relay: { name: "r" }, to: "to@x" });
  expect(receiver.arrived[0]?.envelope.user).toBe("anna");
  const elsewhere = releaserTo({ port, host: "mail.example", allowPrivate: true, ...login });
  const released = elsewhere.release(message("x"), { relay: { name: "r" }, to: "to@x" });
  await expect(released).rejects.toMatchObject({ code: "RELEASE_REFUSED", ambiguous: false });
  expect(receiver.arrived).toHaveLength(1);
});

test("does not trust a certificate of another host", async () => {
  const { port, receiver } = await startSmtp({ certificate });
  const released = releaserTo({ port }).release(message("x"), { relay: { name: "r" }, to: "to@x" });
  await expect(released).rejects.toMatchObject({ code: "RELEASE_FAILED" });
  expect(receiver.arrived).toHaveLength(0);
});

test("reports the code of a rejection, and whether it is retryable", async () => {
  for (const [code, retryable] of [
    [451, true],
    [550, false],
  ] as const) {
    const port = await scripted(["220 hi", "250 me", "250 ok", `${code} no`], false);
    const released = releaserTo({ port }).release(message("x"), { relay: { name: "r" }, to: "to@x" });
    await expect(released).rejects.toMatchObject({
      code: "RELEASE_REFUSED",
      details: { relay: "r", responseCode: code },
      retryable,
      ambiguous: false,
    });
  }
});

test("without a reply the message may have been sent; without a connection it was not", async () => {
  const port = await scripted(["220 hi", "250 me", "250 ok", "250 ok", "354 go"], true);
  const lost = releaserTo({ port }).release(message("x"), { relay: { name: "r" }, to: "to@x" });
  await expect(lost).rejects.toMatchObject({ code: "RELEASE_FAILED", ambiguous: true });
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port: nobody } = closed.address() as { port: number };
  closed.close();
  await once(closed, "close");
  const refused = releaserTo({ port: nobody }).release(message("x"), { relay: { name: "r" }, to: "to@x" });
  await expect(refused).rejects.toMatchObject({ code: "RELEASE_FAILED", ambiguous: false });
});

test("closes a silent relay's connection at the deadline, or when the caller aborts", async () => {
  const port = await scripted([], false);
  const releaser = releaserTo({ port });
  const request = { relay: { name: "r" }, to: "to@x" };
  // Slow is fine: the relay never answers, and how far the release got is not asserted.
  await expect(releaser.release(message("x"), request, { deadlineMs: 50 })).rejects.toMatchObject({
    code: "RELEASE_FAILED",
  });
  const signal = AbortSignal.timeout(50);
  await expect(releaser.release(message("x"), request, { signal })).rejects.toMatchObject({
    code: "RELEASE_FAILED",
  });
  await expect(
    releaser.release(message("x"), request, { signal: AbortSignal.abort() }),
  ).rejects.toMatchObject({
    code: "RELEASE_FAILED",
    ambiguous: false,
  });
});

test("a large message arrives whole", async () => {
  const receiver = memoryReceiver();
  const { port } = await startSmtp({ receiver });
  const text = "0123456789\r\n.\r\n".repeat(20_000);
  await releaserTo({ port }).release(message(text), { relay: { name: "r" }, to: "to@x" });
  expect(receiver.arrived[0]?.raw.toString()).toBe(text);
});
