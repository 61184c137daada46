import fc from "fast-check";
import { expect, test } from "vitest";
import { mailhogText } from "../mailhog/mailhog-message.ts";
import type { MailMessage } from "../model/message.ts";
import { matchMessage } from "./match-message.ts";

function messageOf(raw: Buffer): MailMessage {
  const envelope = { from: "a@example.org", to: ["b@example.com"], helo: "me" };
  const source = { id: "id", envelope, raw, created: 0, hostname: "host" };
  return { envelope, raw, mailhogText: () => mailhogText(source) } as unknown as MailMessage;
}

const chunk = 65_536;

test("finds words where one chunk of a body ends and the next begins", async () => {
  const word = fc.constantFrom("Straße", "ΟΔΟΣ", "İstanbul", "a😀b", "needle", "x");
  const property = fc.asyncProperty(
    word,
    fc.integer({ min: -20, max: 20 }),
    fc.constantFrom(".", "é", "😀", "Σ"),
    async (wanted, shift, filler) => {
      const bytes = Buffer.byteLength(filler);
      const before = filler.repeat(Math.floor((chunk + shift) / bytes));
      const body = `${before}${wanted.toUpperCase()}${filler.repeat(chunk)}`;
      const message = messageOf(Buffer.from(`Subject: s\r\n\r\n${body}`));
      const holds = (query: string) => matchMessage({ kind: "containing", query }, message);
      const fold = (text: string) => text.toLowerCase().replaceAll("ς", "σ");
      for (const query of [wanted, `${filler}${wanted}`, `${wanted}${filler}${filler}`, `${wanted}#`])
        expect(await holds(query)).toBe(fold(body).includes(fold(query)));
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test("finds words in header values of any length", async () => {
  const message = messageOf(Buffer.from(`Subject: ${"x".repeat(chunk - 3)}NEEDLE\r\n\r\nbody\r\n`));
  expect(await matchMessage({ kind: "containing", query: "needle" }, message)).toBe(true);
  expect(await matchMessage({ kind: "containing", query: "needles" }, message)).toBe(false);
});

test("finds decoded text, even at the boundaries between header fields and text parts", async () => {
  const part = (text: string) => `--b\r\nContent-Transfer-Encoding: base64\r\n\r\n${btoa(text)}\r\n`;
  const raw = `Bcc: Last\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part("One two")}${part("Three")}--b--`;
  const holds = (query: string) =>
    matchMessage({ kind: "text", query }, messageOf(Buffer.from(raw, "latin1")));
  for (const query of ["one TWO", "three", "last\none", "two\nthree"]) expect(await holds(query)).toBe(true);
  for (const query of ["lastone", "twothree", "one\ntwo"]) expect(await holds(query)).toBe(false);
});
