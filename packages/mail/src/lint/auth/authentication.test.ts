import { createHash, createPrivateKey, generateKeyPairSync, sign as signBytes } from "node:crypto";
import { createTransport } from "nodemailer";
import { describe, expect, test } from "vitest";
import { type LintOptions, lintMessage } from "../lint-message.ts";
import { readLinted } from "../read-linted.ts";
import { checkSpf } from "./check-spf.ts";
import { expandMacros } from "./spf-macros.ts";
import { verifyDkim } from "./verify-dkim.ts";
import { parseZone } from "./zone.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicKey = rsa.publicKey.export({ type: "spki", format: "der" }).toString("base64");
const privateKey = rsa.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const zone = `
$ORIGIN shop.dev.
$TTL 3600
@               IN  TXT  "v=spf1 ip4:192.0.2.0/28 include:_spf.relay.dev -all" ; who may send
s1._domainkey   IN  TXT  ( "v=DKIM1; k=rsa; p=${publicKey.slice(0, 200)}"
                           "${publicKey.slice(200)}" )
_dmarc              TXT  "v=DMARC1; p=reject"
_spf.relay.dev. 60  IN TXT "v=spf1 ip6:2001:db8::/32 ~all"
`;
const signed = async (options: object = {}, text = "Hello\r\n\r\nworld  \r\n\r\n\r\n") => {
  const dkim = { domainName: "shop.dev", keySelector: "s1", privateKey, ...options };
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows", dkim });
  const { message } = await transport.sendMail({
    from: "shop@shop.dev",
    to: "ann@mail.dev",
    subject: "x",
    text,
  });
  return message as Buffer;
};
const problems = async (raw: Uint8Array, records = zone, now = 0) =>
  (await verifyDkim(readLinted(raw), parseZone(records), now)).map(({ problem }) => problem);

/** The example of RFC 8463, appendix A. */
const football = `DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=brisbane; t=1528637909; h=from : to :
 subject : date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus
 Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==
From: Joe SixPack <joe@football.example.com>
To: Suzie Q <suzie@shopping.example.net>
Subject: Is dinner ready?
Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
Message-ID: <20030712040037.46341.5F8J@football.example.com>

Hi.

We lost the game.  Are you hungry yet?

Joe.
`;
const footballKey =
  'brisbane._domainkey.football.example.com. IN TXT "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="';

describe("DKIM", () => {
  test("holds for messages of another signer, even after relays changed whitespace", async () => {
    const raw = await signed();
    expect(await problems(raw)).toEqual([undefined]);
    const refolded = raw
      .toString()
      .replace("To: ann@mail.dev", "To:  ann@mail.dev ")
      .replace("Hello", "Hello ");
    expect(await problems(Buffer.from(refolded))).toEqual([undefined]);
    expect(await problems(Buffer.from(raw.toString().replaceAll("\r\n", "\n")))).toEqual([undefined]);
  });

  test("holds for the Ed25519 example of RFC 8463", async () => {
    expect(await problems(Buffer.from(football), footballKey)).toEqual([undefined]);
    expect(await problems(Buffer.from(football.replace("dinner", "supper")), footballKey)).not.toEqual([
      undefined,
    ]);
    expect(await problems(Buffer.from(football.replace("hungry", "tired")), footballKey)).not.toEqual([
      undefined,
    ]);
  });

  test.each([
    ["a changed subject", (text: string) => text.replace("Subject: x", "Subject: y")],
    ["a changed body", (text: string) => text.replace("world", "World")],
    ["an added line", (text: string) => `${text}more\r\n`],
    ["another selector", (text: string) => text.replace("s=s1", "s=s2")],
    ["SHA-1", (text: string) => text.replace("a=rsa-sha256", "a=rsa-sha1")],
    ["an unknown algorithm", (text: string) => text.replace("a=rsa-sha256", "a=rsa-md5")],
    ["an unknown version", (text: string) => text.replace("v=1;", "v=2;")],
    ["no body hash", (text: string) => text.replace("bh=", "zz=")],
    ["an unsigned From", (text: string) => text.replace(/h=from:/i, "h=")],
    ["another identity", (text: string) => text.replace("v=1;", "v=1; i=@other.dev;")],
  ])("does not hold with %s", async (_name, change) => {
    const raw = (await signed()).toString();
    expect(change(raw)).not.toBe(raw);
    expect(await problems(Buffer.from(change(raw)))).toEqual([expect.any(String)]);
  });

  test.each([
    ["without a key", ""],
    ["with a revoked key", 's1._domainkey.shop.dev. TXT "v=DKIM1; p="'],
    ["with a malformed key", 's1._domainkey.shop.dev. TXT "v=DKIM1; p=abcd"'],
    ["with a key of another type", `s1._domainkey.shop.dev. TXT "v=DKIM1; k=ed25519; p=${publicKey}"`],
    ["with a key for another service", `s1._domainkey.shop.dev. TXT "v=DKIM1; s=tlsrpt; p=${publicKey}"`],
    ["with a key for other hashes", `s1._domainkey.shop.dev. TXT "v=DKIM1; h=sha1; p=${publicKey}"`],
  ])("does not hold %s", async (_name, records) => {
    expect(await problems(await signed(), records)).toEqual([expect.any(String)]);
  });

  /** Signs as RFC 6376 says, for what the other signer does not do. */
  function ownSignature(
    head: string,
    body: string,
    tags: string,
    canonicalHead: string,
    canonicalBody: string,
  ): string {
    const bh = createHash("sha256").update(canonicalBody).digest("base64");
    const field = `DKIM-Signature: v=1; a=rsa-sha256; d=shop.dev; s=s1; ${tags}h=from; bh=${bh}; b=`;
    const b = signBytes("sha256", Buffer.from(`${canonicalHead}\r\n${field}`), createPrivateKey(privateKey));
    return `${field}${b.toString("base64")}\r\n${head}\r\n\r\n${body}`;
  }
  const from = "From:  Shop <shop@shop.dev>";
  test.each([
    ["simple canonicalization", "", "a  b \r\n\r\n\r\n", "a  b \r\n"],
    ["simple canonicalization of an empty body", "", "", "\r\n"],
    ["simple canonicalization without a line end", "c=simple; ", "a", "a\r\n"],
    ["a part of the body", "c=simple/relaxed; l=3; ", "a  bc", "a b"],
    ["relaxed canonicalization of an empty body", "c=simple/relaxed; ", "\r\n\r\n", ""],
  ])("holds for %s", async (_name, tags, body, canonicalBody) => {
    expect(await problems(Buffer.from(ownSignature(from, body, tags, from, canonicalBody)))).toEqual([
      undefined,
    ]);
  });

  test("holds with a key for mail among others, and for an identity in capitals", async () => {
    const record = `s1._domainkey.shop.dev. TXT "v=DKIM1; s=tlsrpt : email; t=s; p=${publicKey}"`;
    const raw = Buffer.from(ownSignature(from, "a\r\n", "i=@Shop.DEV; ", from, "a\r\n"));
    expect(await problems(raw, record)).toEqual([undefined]);
    const below = Buffer.from(ownSignature(from, "a\r\n", "i=@news.shop.dev; ", from, "a\r\n"));
    expect(await problems(below, record)).toEqual([expect.stringContaining("subdomains")]);
    expect(await problems(below)).toEqual([undefined]);
  });

  test("expires", async () => {
    const raw = Buffer.from(ownSignature(from, "a\r\n", "x=1000; ", from, "a\r\n"));
    expect(await problems(raw, zone, 1_000_000)).toEqual([undefined]);
    expect(await problems(raw, zone, 1_000_001)).toEqual([expect.stringContaining("expired")]);
  });
});

/** The zone and the macros of RFC 7208, appendix A and section 7.4. */
const example = parseZone(`
$ORIGIN example.com.
@       MX 10 mail-a
        MX 20 mail-b
        A 192.0.2.10
        A 192.0.2.11
amy     A 192.0.2.65
bob     A 192.0.2.66
mail-a  A 192.0.2.129
mail-b  A 192.0.2.130
www     CNAME example.com.
$ORIGIN example.org.
@       MX 10 mail-c
mail-c  A 192.0.2.140
$ORIGIN 2.0.192.in-addr.arpa.
10      PTR example.com.
11      PTR example.com.
65      PTR amy.example.com.
66      PTR bob.example.com.
129     PTR mail-a.example.com.
130     PTR mail-b.example.com.
140     PTR mail-c.example.org.
$ORIGIN 0.0.10.in-addr.arpa.
4       PTR bob.example.com.
; Not in the RFC.
5       CNAME 6
6       CNAME 5
7       PTR many-a.example.com.
        PTR MAIL.Example.NET.
        PTR many-b.example.com.
1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa. PTR Six.Example.Com.
six.example.com.    AAAA 2001:DB8::1
mail.example.net.   A 10.0.0.7
many-b.example.com. A 10.0.0.7
${Array.from({ length: 11 }, (_, at) => `8.0.0.10.in-addr.arpa. PTR n${at}.example.com.`).join("\n")}
n10.example.com.    A 10.0.0.8
`);
const withRecord = (record: string) => ({
  ...example,
  txt: (name: string) => (name === "example.com" ? [record] : example.txt(name)),
});

const strongBad = {
  ip: "192.0.2.3",
  from: "strong-bad@email.example.com",
  helo: "h",
  domain: "email.example.com",
  clientName: () => "mx.example.org",
};

describe("SPF", () => {
  // RFC 7208, appendix A.1.
  test.each([
    ["v=spf1 +all", "203.0.113.1", "pass"],
    ["v=spf1 a -all", "192.0.2.10", "pass"],
    ["v=spf1 a -all", "192.0.2.12", "fail"],
    ["v=spf1 a:example.org -all", "192.0.2.10", "fail"],
    ["v=spf1 mx -all", "192.0.2.129", "pass"],
    ["v=spf1 mx -all", "192.0.2.140", "fail"],
    ["v=spf1 mx:example.org -all", "192.0.2.140", "pass"],
    ["v=spf1 mx mx:example.org -all", "192.0.2.140", "pass"],
    ["v=spf1 mx/30 mx:example.org/30 -all", "192.0.2.131", "pass"],
    ["v=spf1 mx/30 mx:example.org/30 -all", "192.0.2.143", "pass"],
    ["v=spf1 mx/30 mx:example.org/30 -all", "192.0.2.144", "fail"],
    ["v=spf1 ip4:192.0.2.128/28 -all", "192.0.2.65", "fail"],
    ["v=spf1 ip4:192.0.2.128/28 -all", "192.0.2.129", "pass"],
    ["v=spf1 ip6:2001:db8::/32 ?all", "2001:db8::1", "pass"],
    ["v=spf1 ip6:2001:db8::/32 ?all", "2001:db9::1", "neutral"],
    ["v=spf1 a:www.example.com ~all", "192.0.2.11", "pass"],
    ["v=spf1 ptr -all", "192.0.2.10", "pass"],
    ["v=spf1 ptr -all", "192.0.2.65", "pass"],
    ["v=spf1 ptr -all", "192.0.2.140", "fail"],
    ["v=spf1 ptr -all", "10.0.0.4", "fail"],
    // Names are compared without case, also those of IPv6 addresses.
    ["v=spf1 ptr -all", "2001:db8::1", "pass"],
    ["v=spf1 ptr:EXAMPLE.net -all", "10.0.0.7", "pass"],
    ["v=spf1 ptr:ample.net -all", "10.0.0.7", "fail"],
    ["v=spf1 ptr:example.org -all", "192.0.2.140", "pass"],
    ["v=spf1 ptr:%{d2} -all", "192.0.2.65", "pass"],
    // An address without a name, a loop of aliases, and a name after the tenth do not match.
    ["v=spf1 ptr ~all", "203.0.113.1", "softfail"],
    ["v=spf1 ptr", "10.0.0.5", "neutral"],
    ["v=spf1 ptr ~all", "10.0.0.8", "softfail"],
    ["v=spf1 ptr: +all", "192.0.2.10", "permerror"],
    // The name of the client: within the domain if it has one there, and only if it is valid.
    ["v=spf1 a:%{p} -all", "192.0.2.140", "pass"],
    ["v=spf1 exists:%{p}.unknown.example.com exists:%{p1r}.example.com -all", "192.0.2.65", "pass"],
    ["v=spf1 exists:%{p1r}.example.com -all", "10.0.0.7", "pass"],
    ["v=spf1 exists:%{p1r}.example.com -all", "10.0.0.4", "fail"],
    ["v=spf1 exists:%{l}.example.com -all", "203.0.113.1", "pass"],
    ["v=spf1", "192.0.2.10", "neutral"],
    ["v=spf10 +all", "192.0.2.10", "none"],
    ["v=spf1 A -ALL", "192.0.2.10", "pass"],
    ["v=spf1 ip4:192.0.2.1/33 +all", "192.0.2.10", "permerror"],
    ["v=spf1 ip4:example.com +all", "192.0.2.10", "permerror"],
    ["v=spf1 +all foo", "192.0.2.10", "permerror"],
    ["v=spf1 include:none.example -all", "192.0.2.10", "permerror"],
    ["v=spf1 include:example.com -all", "192.0.2.10", "permerror"],
    ["v=spf1 redirect=none.example", "192.0.2.10", "permerror"],
    ["v=spf1 redirect=a.example redirect=b.example", "192.0.2.10", "permerror"],
    ["v=spf1 a:n1.example a:n2.example a:n3.example +all", "192.0.2.10", "permerror"],
    [`v=spf1 ${"a:example.org ".repeat(1)}${"a ".repeat(10)}+all`, "203.0.113.1", "permerror"],
    ["v=spf1 a:%{x} +all", "192.0.2.10", "permerror"],
    ["v=spf1 unknown=value +all", "192.0.2.10", "pass"],
    // Errors of grammar anywhere in the record, section 12.
    ["v=spf1 +all/8", "192.0.2.10", "permerror"],
    ["v=spf1 +all ptr/8", "192.0.2.10", "permerror"],
    ["v=spf1 +all include:example.org/24", "192.0.2.10", "permerror"],
    ["v=spf1 +all exists:amy.example.com/24", "192.0.2.10", "permerror"],
    ["v=spf1 +all ip4:192.0.2.10//32", "192.0.2.10", "permerror"],
    ["v=spf1 +all ip4:192.0.2.10/032", "192.0.2.10", "permerror"],
    ["v=spf1 +all ip6:2001:db8::1//64", "192.0.2.10", "permerror"],
    ["v=spf1 +all a:localhost", "192.0.2.10", "permerror"],
    ["v=spf1 +all a:example.com:8080", "192.0.2.10", "permerror"],
    ["v=spf1 +all mx:example.-com", "192.0.2.10", "permerror"],
    ["v=spf1 +all a:192.0.2.10", "192.0.2.10", "permerror"],
    ["v=spf1 +all redirect=", "192.0.2.10", "permerror"],
    ["v=spf1 +all exp=-all", "192.0.2.10", "permerror"],
    ["v=spf1 +all exp=%{r}.example.com", "192.0.2.10", "permerror"],
    ["v=spf1 +all other=%abc", "192.0.2.10", "permerror"],
    ["v=spf1 +all a:\u00e9.example.com", "192.0.2.10", "permerror"],
    ["v=spf1 +all a:%{d0}.example.com", "192.0.2.10", "permerror"],
    // Names may contain nearly every character.
    ["v=spf1 a:x:y/z.example.com +all", "192.0.2.10", "pass"],
    ["v=spf1 a:a%%b%_c%-d.example.com +all", "192.0.2.10", "pass"],
    ["v=spf1 a:%{d} -all", "192.0.2.10", "pass"],
    ["v=spf1 redirect=example.com.", "192.0.2.10", "permerror"],
    // An IPv4 address in IPv6 is an IPv4 address.
    ["v=spf1 ip4:192.0.2.10 -all", "::ffff:192.0.2.10", "pass"],
    ["v=spf1 ip4:192.0.2.10 -all", "::FFFF:c000:20a", "pass"],
    ["v=spf1 ip6:::ffff:192.0.2.10 -all", "::ffff:192.0.2.10", "fail"],
    ["v=spf1 a//0 -all", "::ffff:203.0.113.1", "fail"],
    // Hosts without an address of the sender's kind are void lookups.
    ["v=spf1 a a:amy.example.com +all", "2001:db8::1", "pass"],
    ["v=spf1 a a:amy.example.com a:bob.example.com +all", "2001:db8::1", "permerror"],
  ])("%s for %s is %s", (record, ip, result) => {
    expect(checkSpf(withRecord(record), "example.com", { ip, from: "amy@example.com", helo: "h" })).toBe(
      result,
    );
  });

  // RFC 7208, section 7.4.
  test.each([
    ["%{p}.%{p2}", "mx.example.org.example.org"],
    ["%{s}", "strong-bad@email.example.com"],
    ["%{o}", "email.example.com"],
    ["%{d4}", "email.example.com"],
    ["%{d2}", "example.com"],
    ["%{dr}", "com.example.email"],
    ["%{d2r}", "example.email"],
    ["%{l-}", "strong.bad"],
    ["%{lr-}", "bad.strong"],
    ["%{l1r-}", "strong"],
    ["%{ir}.%{v}._spf.%{d2}", "3.2.0.192.in-addr._spf.example.com"],
    ["%{lr-}.lp._spf.%{d2}", "bad.strong.lp._spf.example.com"],
    ["%%%_%-", "% %20"],
    ["%%{d}", "%{d}"],
    ["%{S}", "strong-bad%40email.example.com"],
    [
      `${"a".repeat(60)}.${"b".repeat(60)}.%{o}.${"c".repeat(60)}.${"d".repeat(60)}`,
      `${"b".repeat(60)}.email.example.com.${"c".repeat(60)}.${"d".repeat(60)}`,
    ],
    ["%{d", undefined],
    ["%x", undefined],
  ])("expands %s to %s", (text, expected) => {
    expect(expandMacros(text, strongBad)).toBe(expected);
  });

  test("expands an IPv6 address digit by digit", () => {
    expect(expandMacros("%{ir}.%{v}", { ...strongBad, ip: "2001:db8::cb01" })).toBe(
      "1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6",
    );
  });
});

describe("the rules dkim, spf and dmarc", () => {
  const rules = async (raw: Uint8Array, options: LintOptions) =>
    (await lintMessage(raw, options))
      .filter(({ rule }) => ["dkim", "spf", "dmarc"].includes(rule))
      .map(({ rule, severity }) => `${rule} ${severity}`);
  const sender = { ip: "192.0.2.3" };

  test("need a zone", async () => {
    expect(await rules(Buffer.from("From: shop@shop.dev\r\n\r\nx"), {})).toEqual([]);
  });

  test.each([
    ["signed and sent from an allowed address", {}, { sender }, []],
    ["signed only", {}, {}, []],
    ["signed, and sent from another address", {}, { sender: { ip: "203.0.113.1" } }, ["spf error"]],
    ["signed, and sent from an address of the relay", {}, { sender: { ip: "2001:db8::1" } }, []],
    ["signed by another domain", { domainName: "relay.dev" }, {}, ["dkim error", "dmarc error"]],
    [
      "sent with a MAIL FROM of another domain",
      {},
      { sender: { ...sender, from: "a@none.dev" } },
      ["spf warning"],
    ],
    ["sent with a null sender", {}, { sender: { ...sender, from: "", helo: "shop.dev" } }, []],
  ])("%s", async (_name, dkim, options, expected) => {
    expect(await rules(await signed(dkim), { zone, ...options })).toEqual(expected);
  });

  test("SPF alone is enough if it is aligned", async () => {
    const unsigned = Buffer.from("From: Shop <shop@news.shop.dev>\r\n\r\nx");
    const aligned = { zone, sender: { ip: "192.0.2.3", from: "bounce@shop.dev" } };
    expect(await rules(unsigned, aligned)).toEqual(["dkim warning"]);
    const strict = zone.replace("p=reject", "p=reject; aspf=s");
    expect(await rules(unsigned, { ...aligned, zone: strict })).toEqual(["dmarc error", "dkim warning"]);
    expect(await rules(unsigned, { ...aligned, zone: zone.replace("_dmarc", "other") })).toEqual([
      "dkim warning",
      "dmarc warning",
    ]);
    const suffix = `${zone}\n_dmarc.dev. TXT "v=DMARC1; p=none; psd=y"`;
    expect(await rules(unsigned, { ...aligned, zone: suffix })).toEqual(["dkim warning"]);
    const other = {
      zone: `${suffix}\nother.dev. TXT "v=spf1 +all"`,
      sender: { ip: "192.0.2.3", from: "x@other.dev" },
    };
    expect(await rules(unsigned, other)).toEqual(["dmarc error", "dkim warning"]);
  });

  test("reject a malformed zone and sender", async () => {
    const raw = Buffer.from("From: shop@shop.dev\r\n\r\nx");
    for (const [text, line] of [
      ['a TXT "x', 1],
      ["\n\na TXT (", 3],
      ["a TXT", 1],
      ["\n$INCLUDE x", 2],
      ["a IN", 1],
    ] as const)
      await expect(lintMessage(raw, { zone: text })).rejects.toMatchObject({
        code: "MAIL_ZONE_INVALID",
        details: { line },
      });
    await expect(lintMessage(raw, { zone, sender: { ip: "x" } })).rejects.toMatchObject({
      code: "MAIL_OPTION_INVALID",
      details: { option: "sender.ip" },
    });
  });
});
