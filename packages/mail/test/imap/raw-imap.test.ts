import { describe, expect, test } from "vitest";
import { rawImap, startImap, storeAll } from "./start-imap.ts";

const nested = [
  "From: a@example.org",
  "Subject: outer",
  "Content-Type: multipart/mixed; boundary=o",
  "",
  "preamble",
  "--o",
  "Content-Type: text/plain; charset=us-ascii",
  "",
  "first",
  "--o",
  "Content-Type: message/rfc822",
  "",
  "From: inner@example.org",
  "Subject: inner",
  "Content-Type: multipart/alternative; boundary=i",
  "",
  "--i",
  "",
  "inner text",
  "--i",
  "Content-Type: text/html",
  "",
  "<p>inner html</p>",
  "--i--",
  "--o--",
  "epilogue",
  "",
].join("\r\n");

const embedded = nested.slice(nested.indexOf("From: inner"), nested.indexOf("\r\n--o--"));

async function selected(messages: readonly (string | Buffer)[] = [nested]) {
  const { port, mail } = await startImap();
  const ids = await storeAll(mail, messages);
  const imap = await rawImap(port);
  await imap.until(/\r\n/);
  await imap.command("LOGIN a b");
  await imap.command("SELECT INBOX");
  return { port, mail, ids, ...imap };
}

/** The bytes of the only literal of an answer. */
const literal = (answer: string) => {
  const [head = "", size] = /\{(\d+)\}\r\n/.exec(answer) ?? [];
  const from = answer.indexOf(head) + head.length;
  return answer.slice(from, from + Number(size));
};

describe("SEARCH by the day of the field Date", () => {
  test("ignores its time and its zone", async () => {
    const { command } = await selected(
      [
        "Tue, 17 Nov 2026 23:30:00 -0500",
        "Tue, 17 Nov 2026 00:30:00 +0900 (JST)",
        "18 Nov 2026 00:00:00 +1300",
        "Wed Nov 18 12:00:00 2026",
        "none",
      ].map((date) => `Date: ${date}\r\n\r\n`),
    );
    const found = async (key: string) => /^\* SEARCH ?(.*)\r$/m.exec(await command(`SEARCH ${key}`))?.[1];
    expect(await found("SENTON 17-Nov-2026")).toBe("1 2");
    expect(await found("SENTBEFORE 18-Nov-2026")).toBe("1 2");
    expect(await found("SENTSINCE 18-Nov-2026")).toBe("3 4");
    expect(await found("NOT SENTON 18-Nov-2026")).toBe("1 2 5");
  });
});

test("SEARCH finds each of several subjects", async () => {
  const { command } = await selected([
    "Subject: first\r\nSubject: =?utf-8?q?zweit=65_caf=C3=A9?=\r\n\r\ntext\r\n",
    nested,
  ]);
  for (const key of ["SUBJECT first", "SUBJECT zweite", 'TEXT "zweite"', "HEADER Subject zweite"])
    expect(await command(`SEARCH ${key}`), key).toContain("* SEARCH 1\r\n");
});

test("SEARCH finds addresses in repeated fields", async () => {
  const { command } = await selected(["To: one@x.example\r\nTo: two@x.example\r\n\r\n"]);
  expect(await command("SEARCH TO two@x.example")).toContain("* SEARCH 1\r\n");
});

describe("FETCH", () => {
  test.each([
    ["1", "first"],
    ["1.MIME", "Content-Type: text/plain; charset=us-ascii\r\n\r\n"],
    ["2.HEADER.FIELDS (Subject)", "Subject: inner\r\n\r\n"],
    ["2.HEADER.FIELDS.NOT (content-type SUBJECT)", "From: inner@example.org\r\n\r\n"],
    ["2.1", "inner text"],
    ["2.2", "<p>inner html</p>"],
    ["2.2.MIME", "Content-Type: text/html\r\n\r\n"],
    ["HEADER.FIELDS (from)", "From: a@example.org\r\n\r\n"],
    ["HEADER", nested.slice(0, nested.indexOf("preamble"))],
    ["TEXT", nested.slice(nested.indexOf("preamble"))],
    ["", nested],
  ])("BODY.PEEK[%s]", async (section, expected) => {
    const { command } = await selected();
    const answer = await command(`FETCH 1 BODY.PEEK[${section}]`);
    expect(answer).toContain(`* 1 FETCH (BODY[${section}] {${expected.length}}\r\n`);
    expect(literal(answer)).toBe(expected);
  });

  test("parts that do not exist are NIL", async () => {
    const { command } = await selected();
    for (const section of ["3", "1.1", "2.3", "2.1.1", "1.HEADER", "1.TEXT"])
      expect(await command(`FETCH 1 BODY[${section}]`)).toContain(`* 1 FETCH (BODY[${section}] NIL)\r\n`);
  });

  test("partial reads, older names and macros", async () => {
    const { command } = await selected();
    expect(literal(await command("FETCH 1 BODY[]<6.4>"))).toBe(nested.slice(6, 10));
    expect(await command("FETCH 1 BODY[]<100000.4>")).toContain("* 1 FETCH (BODY[]<100000> {0}\r\n)\r\n");
    expect(literal(await command("FETCH 1 RFC822"))).toBe(nested);
    expect(await command("FETCH 1 FAST")).toMatch(
      /^\* 1 FETCH \(FLAGS \(\) INTERNALDATE "[ \d]\d-[A-Z][a-z]{2}-\d{4} [\d:]{8} \+0000" RFC822\.SIZE \d+\)\r\n/,
    );
    expect(await command("UID FETCH 1:* FLAGS")).toContain("* 1 FETCH (UID 1 FLAGS ())\r\n");
  });

  test("BODYSTRUCTURE and ENVELOPE of nested messages", async () => {
    const { command } = await selected();
    expect(await command("FETCH 1 (BODY ENVELOPE)")).toBe(
      [
        '* 1 FETCH (BODY (("TEXT" "PLAIN" ("CHARSET" "us-ascii") NIL NIL "7BIT" 5 0)',
        `("MESSAGE" "RFC822" NIL NIL NIL "7BIT" ${embedded.length} `,
        '(NIL "inner" ((NIL NIL "inner" "example.org")) ((NIL NIL "inner" "example.org")) ((NIL NIL "inner" "example.org")) NIL NIL NIL NIL NIL) ',
        '(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 10 0)("TEXT" "HTML" NIL NIL NIL "7BIT" 17 0) "ALTERNATIVE") 11)',
        ' "MIXED") ENVELOPE (NIL "outer" ((NIL NIL "a" "example.org")) ((NIL NIL "a" "example.org")) ((NIL NIL "a" "example.org")) NIL NIL NIL NIL NIL))\r\nt3 OK FETCH completed\r\n',
      ].join(""),
    );
  });

  test("bytes that are not text arrive as they are", async () => {
    const raw = Buffer.from("Subject: \xff\x00\x80\r\n\r\n\xfe\xff\x00\r\n", "latin1");
    const { command } = await selected([raw]);
    expect(literal(await command("FETCH 1 BODY[]"))).toBe(raw.toString("latin1"));
    expect(await command("FETCH 1 ENVELOPE")).toContain("{3}\r\n\xff\x00\x80");
  });

  test("a message of 5 MB is sent whole", async () => {
    const raw = Buffer.concat([
      Buffer.from("Subject: x\r\n\r\n"),
      Buffer.alloc(5_000_000, "0123456789abcd\r\n"),
    ]);
    const { command } = await selected([raw]);
    expect(literal(await command("FETCH 1 BODY.PEEK[]")) === raw.toString("latin1")).toBe(true);
  });

  test("a message that was deleted elsewhere is left out, and then removed", async () => {
    const { command, mail, ids, port } = await selected(["Subject: a\r\n\r\n", "Subject: b\r\n\r\n"]);
    await mail.deleteMany(ids.slice(0, 1));
    const other = await rawImap(port);
    await other.command("LOGIN a b");
    expect(await other.command("SELECT INBOX")).toContain("* 1 EXISTS\r\n");
    expect(await command("FETCH 1:2 (UID ENVELOPE)")).toMatch(/^\* 2 FETCH \(UID 2 [^\r]*\r\nt3 OK/);
    expect(await command("NOOP")).toBe("* 1 EXPUNGE\r\nt4 OK NOOP completed\r\n");
    expect(await command("FETCH 1 UID")).toBe("* 1 FETCH (UID 2)\r\nt5 OK FETCH completed\r\n");
  });
});

describe("commands", () => {
  test("follow the states of a session", async () => {
    const { port } = await startImap();
    const { command, until, send } = await rawImap(port);
    expect(await until(/\r\n/)).toMatch(/^\* OK \[CAPABILITY IMAP4rev1 .*AUTH=PLAIN/);
    expect(await command("SELECT INBOX")).toMatch(/^t1 BAD /);
    expect(await command("FETCH 1 FLAGS")).toMatch(/^t2 BAD /);
    send("t3 AUTHENTICATE PLAIN\r\n");
    expect(await until(/\r\n/)).toBe("+ \r\n");
    send(`${Buffer.from("\0a\0b").toString("base64")}\r\n`);
    expect(await until(/\r\n/)).toMatch(/^t3 OK /);
    expect(await command("LOGIN a b")).toMatch(/ BAD /);
    expect(await command('LIST "" "*"')).toContain('* LIST (\\HasNoChildren) "/" INBOX\r\n');
    expect(await command('LIST "" "Sent"')).not.toContain("* LIST");
    expect(await command("SELECT Sent")).toMatch(/ NO \[NONEXISTENT\]/);
    expect(await command("FETCH 1 FLAGS")).toMatch(/ BAD /);
    expect(await command("EXAMINE inbox")).toMatch(/OK \[READ-ONLY\]/);
    expect(await command("STORE 1 +FLAGS (\\Seen)")).toMatch(/ NO \[NOPERM\]/);
    expect(await command("UID COPY 1 INBOX")).toMatch(/ NO \[NOPERM\]/);
    expect(await command("UNSELECT")).toMatch(/ OK /);
    expect(await command("LOGOUT")).toMatch(/^\* BYE [\s\S]* OK /);
  });

  test("accept literals, and commands in one segment", async () => {
    const { port } = await startImap();
    const { until, send } = await rawImap(port);
    await until(/\r\n/);
    send("a LOGIN {4}\r\n");
    expect(await until(/\r\n/)).toBe("+ go ahead\r\n");
    send("user {4+}\r\npass\r\nb NOOP\r\nc SELECT INBOX\r\n");
    expect(await until(/^c OK.*\r\n/m)).toMatch(/^a OK [\s\S]*^b OK [\s\S]*^c OK /m);
  });

  test("UIDs are stable and ascending, and UIDVALIDITY does not change while the server runs", async () => {
    const { command, mail, port } = await selected(["Subject: a\r\n\r\n", "Subject: b\r\n\r\n"]);
    await mail.deleteAll();
    await storeAll(mail, ["Subject: c\r\n\r\n"]);
    await expect.poll(() => command("NOOP")).toContain("* 1 EXISTS");
    expect(await command("UID SEARCH ALL")).toContain("* SEARCH 3\r\n");
    const other = await rawImap(port);
    await other.command("LOGIN a b");
    const validity = async (from: typeof command) =>
      /UIDVALIDITY (\d+)/.exec(await from("SELECT INBOX"))?.[1];
    expect(await validity(other.command)).toBe(await validity(command));
  });

  test("SEARCH rejects unknown charsets, keys and dates", async () => {
    const { command } = await selected();
    expect(await command("SEARCH CHARSET KOI8-R ALL")).toMatch(/ NO \[BADCHARSET/);
    for (const keys of ["", "BOGUS x", "SINCE yesterday", "OR ALL", "LARGER x", "(ALL", "0:1"])
      expect(await command(`SEARCH ${keys}`)).toMatch(/^t\d+ BAD /);
    expect(await command("SEARCH CHARSET UTF-8 NOT SUBJECT outer")).toContain("* SEARCH\r\n");
  });
});

describe("hostile input", () => {
  test.each([
    ["a line without an end", "x".repeat(20_000)],
    ["a huge literal that is sent without permission", "a LOGIN {999999999+}\r\n"],
    ["many literals", `a LOGIN ${"{30000+}\r\n".padEnd(30_010, "x").repeat(4)}`],
    ["errors without an end", "nonsense\r\n".repeat(100)],
  ])("ends the session: %s", async (_, text) => {
    const { port } = await startImap();
    const { send, until } = await rawImap(port);
    await until(/\r\n/);
    send(text);
    expect(await until(/\* BYE [^\r]*\r\n/)).toMatch(/\* BYE /);
  });

  test.each([
    `SEARCH ${"(".repeat(1000)}ALL${")".repeat(1000)}`,
    `SEARCH ${"NOT ".repeat(1000)}ALL`,
    `FETCH ${"1,".repeat(2000)}1 FLAGS`,
    "FETCH 1 BODY[1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.18.19.20.21.22]",
    "FETCH 0 FLAGS",
    "SEARCH SINCE 31-Feb-2026",
    "FETCH 2 FLAGS",
    "FETCH 4294967296:* FLAGS",
    "FETCH 1 BODY[HEADER.FIELDS ()",
    "FETCH 1 constructor",
    "UID constructor 1",
    "constructor",
    "__proto__ x",
    'LOGIN "a',
    "STATUS INBOX (constructor)",
  ])("is answered with BAD: %#", async (text) => {
    const { command } = await selected();
    expect(await command(text)).toMatch(/t\d+ BAD /);
    expect(await command("NOOP")).toMatch(/ OK /);
  });

  test("a literal that is too large is rejected before it is sent, and the session continues", async () => {
    const { command, mail } = await selected();
    expect(await command("APPEND INBOX {10000000}")).toMatch(/^t3 NO \[TOOBIG\] [^\r]*read-only\r\n$/);
    expect(await command("SEARCH ALL TEXT {100000}")).toMatch(/^t4 NO /);
    expect(await command("NOOP")).toMatch(/^t5 OK /);
    expect(await mail.count()).toBe(1);
  });

  test("a message of a thousand nested parts, and one of many boundaries, can be read", async () => {
    const deep = Array.from(
      { length: 1000 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
    );
    const wide = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\n\r\n".repeat(5000)}--b--\r\n`;
    const { command } = await selected([
      deep.join(""),
      wide,
      "",
      "no header at all",
      "Content-Type: multipart/mixed\r\n\r\n",
    ]);
    const answer = await command("FETCH 1:5 (ENVELOPE BODYSTRUCTURE BODY.PEEK[TEXT])");
    expect(answer.match(/^\* \d FETCH /gm)).toHaveLength(5);
    expect(answer).toMatch(/OK FETCH completed\r\n$/);
  });

  test("a client that does not sign in is disconnected", async () => {
    const { port } = await startImap({ limits: { signInMs: 50 } });
    const { until } = await rawImap(port);
    expect(await until(/never/)).toMatch(/^\* OK /);
  });

  test("more connections than allowed get BYE, and failed sign-ins end the session", async () => {
    const { port } = await startImap({ limits: { sessions: 1 }, checkPassword: async () => false });
    const first = await rawImap(port);
    await first.until(/\r\n/);
    const second = await rawImap(port);
    expect(await second.until(/never/)).toBe("* BYE too many connections\r\n");
    for (let at = 0; at < 4; at++)
      expect(await first.command("LOGIN a b")).toContain("[AUTHENTICATIONFAILED]");
    first.send("x LOGIN a b\r\n");
    expect(await first.until(/\* BYE [^\r]*\r\n/)).toContain("* BYE ");
  });
});
