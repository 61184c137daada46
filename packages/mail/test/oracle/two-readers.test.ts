import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { openDecoder, readHeaders } from "../../src/index.ts";
import { readOverview } from "../../src/search/overview.ts";
import { rawMessage } from "./message-arbitraries.ts";

/**
 * Lists and searches use a fast reader, and the decoder uses a library. Both must read the same, so that people find messages by
 * what they see.
 */
const decoder = openDecoder({ timeoutMs: 60_000 });
afterAll(() => decoder.close());

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");
const withoutTags = (html: string) => html.replaceAll(/<\/?(?:p|br)>/g, "\n").replaceAll(/<[^>]*>/g, "");

test("lists and searches read the same subject, headers, texts and attachments as the decoder", async () => {
  const property = fc.asyncProperty(rawMessage(false), async (raw) => {
    const overview = readOverview(raw);
    const decoded = await decoder.decode(raw);
    expect(words(overview.subject)).toEqual(words(decoded.subject));
    expect(readHeaders(raw).map(({ name }) => name)).toEqual(
      // The library also returns lines that are not fields.
      decoded.headers.map(({ name }) => name.toLowerCase()).filter((name) => !name.includes(" ")),
    );
    const shown = `${decoded.text}\n${withoutTags(decoded.html)}`;
    for (const word of words(overview.texts.join("\n"))) expect(shown).toContain(word);
    expect(overview.attachments).toBe(decoded.attachments.length);
  });
  await fc.assert(property, { numRuns: 300 });
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const part = (head: string, body: string) =>
  `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${head}\r\n\r\n${body}\r\n--b--\r\n`;

describe("both read a body", () => {
  test.each([
    [
      "an encoding with a comment",
      `Content-Transfer-Encoding: base64 (x)\r\n\r\n${base64("words")}`,
      "words",
    ],
    ["an encoding in quotes", `Content-Transfer-Encoding: "BASE64"\r\n\r\n${base64("words")}`, "words"],
    ["an encoding with a semicolon", "Content-Transfer-Encoding: quoted-printable;\r\n\r\na=3Db", "a=b"],
    [
      "lines of base64 that are all padded",
      `Content-Transfer-Encoding: base64\r\n\r\n${base64("wo")}\r\n${base64("rds")}`,
      "words",
    ],
    ["a type with a comment", 'Content-Type: text/plain (x); charset="iso-8859-1"\r\n\r\n\xe9t\xe9', "été"],
    ["the charset latin-1", "Content-Type: text/plain; charset=latin-1\r\n\r\n\xe9t\xe9", "été"],
    ["the charset iso_8859-1", "Content-Type: text/plain; charset=iso_8859-1\r\n\r\n\x80", "€"],
    ["the charset cp932", "Content-Type: text/plain; charset=cp932\r\n\r\n\x82\xa0", "あ"],
    ["the charset x-big5", "Content-Type: text/plain; charset=x-big5\r\n\r\n\xa4\xa4", "中"],
    ["an unknown charset", "Content-Type: text/plain; charset=ansi\r\n\r\n\xe9t\xe9", "été"],
    ["bytes of Windows-1252 without a charset", "X: 1\r\n\r\n\x93\xe9t\xe9\x94 \x80", "“été” €"],
    ["both UTF-8 and other bytes", "X: 1\r\n\r\n\xc3\xa9t\xe9 \xf0\x9f\x98\x80 \xed\xaf\x80", "été 😀 í¯€"],
    [
      "the charset utf-7",
      "Content-Type: text/plain; charset=utf-7\r\n\r\nGr+APwA3w-e +- 1 + 1",
      "Grüße + 1 + 1",
    ],
    ["the charset ibm850", "Content-Type: text/plain; charset=IBM850\r\n\r\ngr\x81\xe1e", "grüße"],
    ["the charset cp437", "Content-Type: text/plain; charset=cp437\r\n\r\n\xf3 \xe1", "≤ ß"],
    ["the charset hz-gb-2312", "Content-Type: text/plain; charset=hz-gb-2312\r\n\r\n~{VPND~} ~~", "中文 ~"],
    [
      "the charset iso-2022-kr",
      "Content-Type: text/plain; charset=iso-2022-kr\r\n\r\n\x1b$)C\x0eGQ19\x0f a",
      "한국 a",
    ],
    ["a type without a subtype", "Content-Type: text; charset=iso-8859-2\r\n\r\n\xb1 words", "ą words"],
    ["parameters instead of a type", "Content-Type: ; charset=iso-8859-2\r\n\r\n\xb1 words", "ą words"],
    ["a multipart without a boundary", "Content-Type: multipart/mixed\r\n\r\nwords", "words"],
    [
      "a multipart whose boundary is empty",
      'Content-Type: multipart/mixed; boundary=""\r\n\r\nwords',
      "words",
    ],
    [
      "a multipart whose boundary occurs nowhere",
      "Content-Type: multipart/alternative; boundary=c\r\n\r\nwords",
      "words",
    ],
    [
      "a multipart without a boundary in another one",
      part("Content-Type: multipart/alternative", "words"),
      "words",
    ],
    [
      "a named text that is shown inline",
      part("Content-Disposition: inline; filename=a.txt", "words"),
      "words",
    ],
    [
      "a multipart in a capitalized type",
      'Content-Type: Multipart/Mixed; Boundary="B b"\r\n\r\n--B b\r\n\r\nwords\r\n--B b--',
      "words",
    ],
    [
      "a multipart that its parent ends",
      part("Content-Type: multipart/mixed; boundary=c", "--c\r\n\r\nwords"),
      "words",
    ],
  ])("with %s", async (_name, raw, text) => {
    const bytes = Buffer.from(raw, "latin1");
    const overview = readOverview(bytes);
    const decoded = await decoder.decode(bytes);
    expect([overview.preview, decoded.text.trim()]).toEqual([text, text]);
    expect([overview.attachments, decoded.attachments.length]).toEqual([0, 0]);
  });
});

describe("both read a subject", () => {
  test.each([
    ["with a character split between two words", "=?utf-8?Q?a=C3?=\r\n =?utf-8?Q?=BCb?=", "aüb"],
    ["with a blank in a word", "=?utf-8?Q?a b?= c", "a b c"],
    ["with a long word", `=?utf-8?Q?${"a".repeat(1200)}?=`, "a".repeat(1200)],
    ["with words that touch", "=?utf-8?Q?a?==?iso-8859-1?Q?=E9?=", "aé"],
    ["with a word of a multi-byte charset", "=?gb2312?B?1tDOxA==?=", "中文"],
    ["with a stateful charset", "=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"],
    ["in UTF-7", "=?utf-7?Q?Gr+APwA3w-e?=", "Grüße"],
    ["in IBM850", "a =?ibm850?Q?gr=81=E1e_b?= c", "a grüße b c"],
    ["in ISO-2022-KR", "=?iso-2022-kr?B?GyQpQw5HUTE5Dw==?=", "한국"],
    ["in UTF-8", "gr\xc3\xbc\xc3\x9fe", "grüße"],
    ["in Windows-1252", "\x84gr\xfc\xdfe\x93 f\xfcr =?utf-8?Q?J=C3=B6rg?=", "„grüße“ für Jörg"],
  ])("%s", async (_name, value, subject) => {
    const bytes = Buffer.from(`Subject: ${value}\r\n\r\nx`, "latin1");
    expect([readOverview(bytes).subject, (await decoder.decode(bytes)).subject]).toEqual([subject, subject]);
  });
});

const forwarded = "From: carol@example.org\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n\r\nwords";

describe("both read an embedded message", () => {
  test.each([
    ["as a part", part("Content-Type: message/rfc822", forwarded)],
    ["as a part with addresses in UTF-8", part("Content-Type: message/global", forwarded)],
    ["in a digest", part("X-Part: 1", forwarded).replace("mixed", "digest")],
    [
      "in an embedded message",
      part(
        "Content-Type: message/rfc822",
        part("Content-Type: message/rfc822", forwarded).replaceAll("b\r\n", "c\r\n").replace("b--", "c--"),
      ),
    ],
  ])("%s", async (_name, raw) => {
    const bytes = Buffer.from(raw);
    const overview = readOverview(bytes);
    const decoded = await decoder.decode(bytes);
    for (const word of ["words", "Grüße", "carol@example.org"])
      expect([overview.texts.join("\n").includes(word), decoded.text.includes(word)]).toEqual([true, true]);
    expect([overview.attachments, decoded.attachments.length]).toEqual([0, 0]);
  });

  test.each([
    [
      "that is attached",
      part("Content-Type: message/rfc822\r\nContent-Disposition: attachment", forwarded),
      1,
    ],
    [
      "of a report",
      part(
        "Content-Type: message/delivery-status",
        `Status: 5.0.0\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${forwarded}`,
      ).replace("mixed", "report"),
      2,
    ],
  ])("not one %s", async (_name, raw, attachments) => {
    const bytes = Buffer.from(raw);
    const overview = readOverview(bytes);
    const decoded = await decoder.decode(bytes);
    expect([overview.texts.join("").includes("words"), decoded.text.includes("words")]).toEqual([
      false,
      false,
    ]);
    expect([overview.attachments, decoded.attachments.length]).toEqual([attachments, attachments]);
  });
});

test.each([
  ["text/csv", "inline; filename=a.csv"],
  ["text/csv", ""],
  ["text/plain", "attachment"],
  ["image/png", "inline"],
])("both count a part of type %s with disposition %j as an attachment", async (type, disposition) => {
  const bytes = Buffer.from(part(`Content-Type: ${type}\r\nContent-Disposition: ${disposition}`, "x"));
  expect([readOverview(bytes).attachments, (await decoder.decode(bytes)).attachments.length]).toEqual([1, 1]);
});

test("the decoder returns header fields as they were sent, whatever their charset", async () => {
  const value = "=?ibm850?Q?gr=81=E1e?=";
  const { headers } = await decoder.decode(Buffer.from(`Subject: ${value}\r\n\r\nx`));
  expect(headers).toEqual([{ name: "Subject", value }]);
});

test("the decoder reads the name of an attachment in a charset of DOS", async () => {
  const disposition = 'attachment; filename="=?ibm850?Q?gr=81=E1e.txt?="';
  const bytes = Buffer.from(part(`Content-Disposition: ${disposition}`, "x"));
  expect((await decoder.decode(bytes)).attachments.map(({ filename }) => filename)).toEqual(["grüße.txt"]);
});
