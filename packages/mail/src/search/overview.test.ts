import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeWords } from "../mime/decode-text.ts";
import { htmlText } from "../mime/html-text.ts";
import { partLimits, walkParts } from "../mime/walk-parts.ts";
import { readOverview, textOf } from "./overview.ts";

const bytes = (text: string) => Buffer.from(text).toString("latin1");

describe("encoded words", () => {
  test.each([
    ["plain", "plain"],
    ["=?utf-8?Q?caf=C3=A9_au?= lait", "café au lait"],
    ["=?ISO-8859-1*en?q?caf=E9?=", "café"],
    [`=?utf-8?B?${Buffer.from("grüße").toString("base64")}?=`, "grüße"],
    ["=?utf-8?q?a?= =?utf-8?q?b?=", "ab"],
    ["=?utf-8?q?a?= b", "a b"],
    ["=?nonsense?q?abc?=", "abc"],
    ["=?utf-8?x?abc?=", "=?utf-8?x?abc?="],
    ["8-bit ü", "8-bit ü"],
  ])("%j is read as %j", (encoded, text) => {
    expect(decodeWords(bytes(encoded))).toBe(text);
  });
});

test("the text of HTML has no tags, styles, scripts or comments", () => {
  const html =
    "<style>p { color: red }</style><!-- no --><p title='a>b'>Hi&nbsp;<b>th</b>ere</p><SCRIPT>x()</SCRIPT >&#65;&#x42;&lt;&nope;<br>end<";
  expect(htmlText(html).replaceAll("\n", "|")).toBe("|Hi there|AB<&nope;|end<");
});

test.each([
  ["a sign that does not begin a tag", "<p>if a < b and 5 <6 then c</p>d", "|if a < b and 5 <6 then c|d"],
  ["values of attributes", `<a href='x' title = "1 > 0">one</a> <img alt=a>two`, "one two"],
  ["a quote without an end", `<a title="x>one</a> two`, "one two"],
  ["a quote that begins no value", `<a ">one</a> <a b=c">two`, "one two"],
  ["a tag without an end", "one <a href=", "one "],
  ["lists, forms and preformatted text", "<dl><dt>a<dd>b</dl><pre>c</pre>d<option>e", "||a|b||c|d|e"],
])("the text of HTML with %s", (_name, html, text) => {
  expect(htmlText(html).replaceAll("\n", "|")).toBe(text);
});

test("the text of HTML of 1 MiB takes time in proportion to its length", () => {
  for (const piece of [`a="b" `, `='`, `<a b="`, `<a b='>`, "<", "</style", "<!--", "<style>", "= "])
    expect(htmlText(`<a ${piece.repeat(1_048_576 / piece.length)}`).length).toBeLessThan(1_048_600);
});

test("the text of HTML has characters instead of entities", () => {
  expect(htmlText("caf&eacute; &Eacute;T&Eacute; &mdash; 5&nbsp;&euro; &AMP; Dona&shy;dampf &frac12;")).toBe(
    "café ÉTÉ — 5 € & Donadampf ½",
  );
  expect(htmlText("&alpha;&sigmaf;&Omega; it&#146;s &#xd800;&#x1f600;")).toBe("ας\u03a9 it’s \ufffd😀");
});

describe("the parts of a message", () => {
  test("are split at whole boundary lines only, an unterminated last part included", () => {
    const { parts, cut } = walkParts(
      "Content-Type: multipart/mixed; boundary=b\n\npreamble\n--b\n\none --b\n--bx\n--b  \nContent-Type: text/html\n\ntwo",
    );
    expect(parts.map(({ body }) => body)).toEqual(["one --b\n--bx", "two"]);
    expect(cut).toBe(false);
  });

  test("are bounded in number and depth", () => {
    const many = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\nx\r\n".repeat(5000)}--b--`;
    expect(walkParts(many)).toMatchObject({ cut: true });
    expect(walkParts(many).parts).toHaveLength(partLimits.parts);
    let deep = "\r\nx";
    for (let depth = 0; depth < 200; depth++)
      deep = `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n${deep}\r\n--b${depth}--`;
    expect(walkParts(deep).cut).toBe(true);
  });
});

describe("the overview of a message", () => {
  test("has the addresses of all To and Cc fields: some senders repeat them", () => {
    const raw =
      "To: One <one@x.example>\r\nSubject: first\r\nTo: =?utf-8?q?Zw=C3=B6?= <two@x.example>\r\nTo:\r\nCc: three@x.example\r\ncc: four@x.example\r\nSubject: second\r\n\r\n";
    const { subject, headerTo, recipients, head } = readOverview(Buffer.from(raw));
    expect({ subject, headerTo }).toEqual({
      subject: "first",
      headerTo: "One <one@x.example>, Zwö <two@x.example>",
    });
    expect(recipients).toEqual(["one", "two", "three", "four"].map((name) => `${name}@x.example`));
    expect(head).toContain("three@x.example, four@x.example");
  });

  test("has the addresses of the headers, each once", () => {
    const { senders, recipients } = readOverview(
      Buffer.from(
        'From: "A, B" <Ann@X.org>\r\nTo: bob@y.org, Carol <carol@y.org>\r\nCc: bob@y.org\r\nBcc: d@z.org\r\n\r\n',
      ),
    );
    expect(senders).toEqual(["ann@x.org"]);
    expect(recipients).toEqual(["bob@y.org", "carol@y.org", "d@z.org"]);
  });

  test("decodes text by its charset and transfer encoding", () => {
    const raw = Buffer.from(
      "Content-Type: text/plain; charset=windows-1252\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=80 5=\r\n0\r\n",
    );
    expect(textOf(readOverview(raw))).toContain("€ 50");
  });

  test.each([
    ["Just a line\r\n", "Just a line"],
    ["Just a line", "Just a line"],
    ["Dear Bob: hello\r\n\r\nAnn\r\n", "Dear Bob: hello Ann"],
    ["Subject: hi\r\nno empty line\r\n", "no empty line"],
    ["Subject: hi\r\nstray\r\nTo: a@b\r\n\r\nbody\r\n", "body"],
    ["Subject: only\r\n", ""],
  ])("of %j, whose header is incomplete, previews %j", (raw, preview) => {
    const overview = readOverview(Buffer.from(raw));
    expect(overview.preview).toBe(preview);
    expect(textOf(overview).replaceAll(/\s+/g, " ")).toContain(preview);
  });

  test("has the headers that MailHog would read in the whole message, or null", () => {
    const from = (raw: Buffer, size?: number) => readOverview(raw, size).mailhogFrom;
    expect(from(Buffer.from("From: a\r\n\r\nx\r\n"))).toBe("a");
    // MailHog drops the last line end, and then finds no empty line.
    expect(from(Buffer.from("From: a\r\n\r\n"))).toBeUndefined();
    const long = Buffer.from(`X: ${"y".repeat(1_100_000)}\r\nFrom: a\r\n\r\nx\r\n`);
    expect(from(long)).toBeNull();
    expect(from(long.subarray(0, 1_048_576), long.length)).toBeNull();
    expect(from(Buffer.concat([Buffer.from("From: a\r\n\r\n"), long]))).toBe("a");
  });

  test("exists for any bytes", () => {
    const piece = fc.constantFrom(
      "\r\n",
      "\n",
      "--b",
      "--b--",
      "Content-Type: multipart/mixed; boundary=b",
      "=?utf-8?q?",
      "?=",
      "<",
      "&#",
      "@",
      ":",
      " ",
      "x",
      "é",
      "Content-Transfer-Encoding: base64",
    );
    const property = fc.property(fc.array(piece, { maxLength: 50 }), (pieces) => {
      const overview = readOverview(Buffer.from(pieces.join("")));
      expect(overview.preview.length).toBeLessThanOrEqual(200);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("reads hostile headers in linear time", () => {
    const hostile = [
      "a=?utf-8?q?".repeat(20_000),
      Array.from({ length: 50_000 }, (_, at) => `=?unknown${at}?q?x?=`).join(""),
      "=?one?q?x?==?two?q?x?=".repeat(30_000),
      "=?utf-8?q?".padEnd(500_000, "(=3D "),
      "<".repeat(200_000),
      "a@".repeat(100_000),
      '; a="'.repeat(50_000),
      " ".repeat(300_000),
    ];
    for (const value of hostile) {
      const raw = Buffer.from(
        `Subject: ${value}\r\nTo: ${value}\r\nContent-Type: text/html; ${value}\r\n\r\n${value}`,
      );
      expect(readOverview(raw).attachments).toBe(0);
    }
  });
});
