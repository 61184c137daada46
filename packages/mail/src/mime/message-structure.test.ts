import { expect, test } from "vitest";
import { readStructure } from "./message-structure.ts";

const message = (...lines: readonly string[]) => Buffer.from(lines.join("\r\n"), "latin1");

test("a message without headers is one text", async () => {
  expect(await readStructure(message("", "Hello"))).toEqual({
    type: "text/plain",
    encoding: "7bit",
    size: 5,
    parts: [],
  });
});

test("shows multiparts, attached files and attached messages", async () => {
  const raw = message(
    'Content-Type: multipart/mixed; boundary="m"',
    "",
    "--m",
    "Content-Type: multipart/alternative; boundary=a",
    "",
    "--a",
    "Content-Type: Text/Plain; charset=UTF-8",
    "Content-Transfer-Encoding: Quoted-Printable",
    "",
    "caf=C3=A9",
    "--a",
    "Content-Type: text/html",
    "",
    "<p>x</p>",
    "--a--",
    "--m",
    "Content-Type: image/png; name=ignored.png",
    "Content-Disposition: inline; filename*=utf-8''caf%C3%A9.png",
    "Content-ID: <logo@x>",
    "Content-Transfer-Encoding: base64",
    "",
    "AQID",
    "--m",
    "Content-Type: message/rfc822",
    "Content-Disposition: attachment",
    "",
    "Subject: inner",
    "Content-Type: application/pdf; name==?utf-8?q?r=C3=A9sum=C3=A9.pdf?=",
    "",
    "%PDF",
    "--m--",
    "",
  );
  expect(await readStructure(raw)).toMatchObject({
    type: "multipart/mixed",
    parts: [
      {
        type: "multipart/alternative",
        parts: [
          { type: "text/plain", charset: "UTF-8", encoding: "quoted-printable", size: 9, parts: [] },
          { type: "text/html", encoding: "7bit", size: 8, parts: [] },
        ],
      },
      {
        type: "image/png",
        disposition: "inline",
        filename: "café.png",
        contentId: "<logo@x>",
        encoding: "base64",
        size: 4,
        parts: [],
      },
      {
        type: "message/rfc822",
        disposition: "attachment",
        parts: [{ type: "application/pdf", filename: "résumé.pdf", size: 4, parts: [] }],
      },
    ],
  });
});

test.each([
  ["a multipart without a boundary", "Content-Type: multipart/mixed"],
  ["a multipart whose boundary occurs nowhere", "Content-Type: multipart/mixed; boundary=b"],
  ["a type without a subtype", "Content-Type: text"],
])("%s is plain text", async (_name, header) => {
  const { type, size, parts } = await readStructure(Buffer.from(`${header}\r\n\r\nwords\r\n`));
  expect({ type, size, parts }).toEqual({ type: "text/plain", size: 7, parts: [] });
});
