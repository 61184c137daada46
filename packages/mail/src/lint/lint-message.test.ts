import { describe, expect, test } from "vitest";
import { supportFeatures, supportOf } from "./html/client-support.ts";
import { supportClients } from "./html/client-support-data.ts";
import { featuresOf } from "./html/html-features.ts";
import { parseHtml } from "./html/parse-html.ts";
import { type LintOptions, lintMessage } from "./lint-message.ts";
import { lintRules } from "./lint-rules.ts";

const head = [
  "Date: Mon, 16 Nov 2026 10:30:00 +0000",
  "From: Shop <shop@shop.test>",
  "To: ann@mail.test",
  "Message-ID: <1@shop.test>",
  "Subject: Your order",
];
const mail = (lines: readonly string[], body = "Thanks.\n") =>
  Buffer.from([...lines, "", body].join("\n").replaceAll("\n", "\r\n"));
const html = (content: string, more: readonly string[] = []) =>
  mail(
    [...head, ...more, "Content-Type: multipart/related; boundary=r"],
    `--r\nContent-Type: multipart/alternative; boundary=a\n\n--a\n\nThanks.\n--a\nContent-Type: text/html; charset=utf-8\n\n${content}\n--a--\n--r\nContent-Type: image/png\nContent-ID: <logo@x>\n\nAAAA\n--r--\n`,
  );
const without = (name: string) => head.filter((line) => !line.startsWith(`${name}:`));
const rules = async (raw: Uint8Array, options: LintOptions = {}) =>
  (await lintMessage(raw, { clients: ["apple-mail/ios"], ...options })).map(({ rule, where }) =>
    where === undefined ? rule : `${rule} ${where}`,
  );

test("a plain message has no findings", async () => {
  expect(await rules(mail(head))).toEqual([]);
  expect(await rules(html('<p>Thanks.</p><img src="cid:logo@x" alt="Logo">'))).toEqual([]);
});

describe("headers", () => {
  test.each([
    ["without Date", without("Date"), ["header-date Date"]],
    ["with a date of another form", [...without("Date"), "Date: 2026-11-16T10:30:00Z"], ["header-date Date"]],
    ["with an obsolete date", [...without("Date"), "Date: 16 Nov 26 10:30 GMT"], []],
    ["with a comment in the date", [...without("Date"), `${head[0]} (UTC)`], []],
    [
      "with an hour that does not exist",
      [...without("Date"), "Date: Mon, 16 Nov 2026 25:30:00 +0000"],
      ["header-date Date"],
    ],
    [
      "with a day that does not exist",
      [...without("Date"), "Date: 31 Feb 2026 10:30:00 +0000"],
      ["header-date Date"],
    ],
    [
      "with the wrong weekday",
      [...without("Date"), "Date: Tue, 16 Nov 2026 10:30:00 +0000"],
      ["header-date Date"],
    ],
    ["without From", without("From"), ["header-from From"]],
    ["with an address in the name", [...without("From"), 'From: "a@b.test, c" <c@d.test>'], []],
    [
      "with an address in an encoded name",
      [...without("From"), "From: =?utf-8?Q?a@b.test=2C_c?= <c@d.test>"],
      [],
    ],
    ["with a quoted local part", [...without("From"), 'From: "a b"@d.test'], []],
    ["with a sender without a domain", [...without("From"), "From: Shop <shop>"], ["header-from From"]],
    ["with two senders", [...without("From"), "From: a@b.test, c@d.test"], ["header-from From"]],
    ["with two senders and Sender", [...without("From"), "From: a@b.test, c@d.test", "Sender: a@b.test"], []],
    ["without Message-ID", without("Message-ID"), ["header-message-id Message-ID"]],
    [
      "with a malformed Message-ID",
      [...without("Message-ID"), "Message-ID: 1"],
      ["header-message-id Message-ID"],
    ],
    ["without recipients", without("To"), ["header-to To"]],
    ["with Cc only", [...without("To"), "Cc: ann@mail.test"], []],
    ["without Subject", without("Subject"), ["header-subject Subject"]],
    ["with two subjects", [...head, "Subject: two"], ["header-duplicate subject"]],
    [
      "with characters that are not encoded",
      [...without("Subject"), "Subject: Grüße"],
      ["header-encoding subject"],
    ],
    ["with encoded words", [...without("Subject"), "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?="], []],
  ])("%s", async (_name, lines, expected) => {
    expect(await rules(mail(lines))).toEqual(expected);
  });

  const list = "List-Unsubscribe: <mailto:x@shop.test>, <https://shop.test/u>";
  const post = "List-Unsubscribe-Post: List-Unsubscribe=One-Click";
  const signed = (names: string) => `DKIM-Signature: v=1; d=shop.test;\n h=from:${names}; b=x`;
  test.each([
    ["a list without it", [...head, "List-Id: <news.shop.test>"], {}, ["list-unsubscribe List-Unsubscribe"]],
    ["bulk mail without it", head, { bulk: true }, ["list-unsubscribe List-Unsubscribe"]],
    ["one click", [...head, list, post], {}, []],
    [
      "one click that is signed",
      [...head, list, post, signed("list-unsubscribe:\n list-unsubscribe-post")],
      {},
      [],
    ],
    [
      "one click that is not signed",
      [...head, list, post, signed("list-unsubscribe")],
      {},
      ["list-unsubscribe List-Unsubscribe"],
    ],
    ["no POST", [...head, list], {}, ["list-unsubscribe List-Unsubscribe-Post"]],
    [
      "mailto only",
      [...head, "List-Unsubscribe: <mailto:x@shop.test>", post],
      {},
      ["list-unsubscribe List-Unsubscribe"],
    ],
  ])("unsubscription: %s", async (_name, lines, options, expected) => {
    expect(await rules(mail(lines), options)).toEqual(expected);
  });
});

describe("content", () => {
  test("HTML needs plain text that is not empty", async () => {
    const alone = mail([...head, "Content-Type: text/html"], "<p>Thanks.</p>\n");
    expect(await rules(alone)).toEqual(["text-part"]);
    const empty = Buffer.from(html("<p>x</p>").toString().replace("Thanks.", " "));
    expect(await rules(empty)).toEqual(["text-part"]);
  });

  test("Gmail clips HTML of more than 102 KB, decoded", async () => {
    const line = `<p>${"x".repeat(90)}</p>\n`;
    expect(await rules(html(line.repeat(1000)))).toEqual([]);
    expect(await rules(html(line.repeat(1100)))).toEqual(["html-size"]);
    const encoded = Buffer.from(line.repeat(800)).toString("base64").replaceAll(/.{76}/g, "$&\n");
    const small = mail([...head, "Content-Type: text/html\nContent-Transfer-Encoding: base64"], encoded);
    expect(small.length).toBeGreaterThan(104_448);
    expect(await rules(small)).toEqual(["text-part"]);
  });

  test("lines and messages have a maximum", async () => {
    expect(await rules(mail(head, "x".repeat(998)))).toEqual([]);
    expect(await rules(mail(head, `short\n${"x".repeat(999)}\n`))).toEqual(["line-length line 8"]);
    const large = Buffer.concat([mail(head), Buffer.alloc(26 * 1024 * 1024, `${"x".repeat(76)}\r\n`)]);
    expect(await rules(large)).toEqual(["message-size"]);
  });

  test.each([
    ["{{ name }}", ["template-rest Subject", "template-rest HTML"]],
    ["{% if x %}", ["template-rest Subject", "template-rest HTML"]],
    ["*|FNAME|*", ["template-rest Subject", "template-rest HTML"]],
    [`$${"{name}"}`, ["template-rest Subject", "template-rest HTML"]],
    ["[object Object]", ["template-rest Subject", "template-rest HTML"]],
    ["{ name }", []],
  ])("the placeholder %s of a template", async (text, expected) => {
    const raw = html(`<style>p { color: red }</style><p>Hello ${text}</p>`).toString();
    expect(await rules(Buffer.from(raw.replace("Your order", text)))).toEqual(expected);
  });
});

describe("links and images", () => {
  test.each([
    ['<a href="https://www.tablekeep.dev/x">x</a>', []],
    ['<a href="mailto:x@y.test">x</a> <a href="tel:1">x</a> <a href="#top">x</a> <a name="top">x</a>', []],
    ['<a href="http://tablekeep.dev">x</a>', ["link-insecure line 1"]],
    ['<a href="">x</a>', ["link-invalid line 1"]],
    ["<a>x</a>", ["link-invalid line 1"]],
    ['\n<a href="/order">x</a>', ["link-invalid line 2"]],
    ['<a href="javascript:alert(1)">x</a>', ["link-invalid line 1"]],
    ['<a href="https://">x</a>', ["link-invalid line 1"]],
    ['<a href="http://localhost:3000/">x</a>', ["link-placeholder line 1"]],
    ['<a href="https://shop.example.com/">x</a>', ["link-placeholder line 1"]],
    ['<a href="https://shop.test/">x</a>', ["link-placeholder line 1"]],
    [
      '<a href="http://192.168.1.2/">x</a> <a href="http://[::1]/">x</a>',
      ["link-placeholder line 1", "link-placeholder line 1"],
    ],
    ['<a href="https://intranet/">x</a>', ["link-placeholder line 1"]],
    ['<a href="https://a.dev/{{ path }}">x</a>', ["template-rest line 1"]],
    ['<a href="https://evil.dev/">https://bank.dev/login</a>', ["link-mismatch line 1"]],
    ['<a href="https://www.bank.dev/a">bank.dev</a>', []],
    ['<img src="https://a.dev/x.png">', ["image-alt line 1"]],
    ['<img src="https://a.dev/x.png" alt="">', []],
    ['<img src="https://a.dev/x.png" width="1" height="1">', []],
    ['<img src="cid:other" alt="x">', ["image-missing line 1"]],
    ['<img src="cid:logo%40x" alt="x">', []],
  ])("%s", async (content, expected) => {
    expect(await rules(html(content))).toEqual(expected);
  });

  test("hosts can be allowed", async () => {
    expect(
      await rules(html('<a href="http://localhost:3000/">x</a>'), { allowHosts: ["LOCALHOST"] }),
    ).toEqual([]);
  });
});

describe("features of HTML and CSS", () => {
  const features = (content: string) => [...featuresOf(parseHtml(content)).keys()].sort();

  test.each([
    ['<p style="display: flex">', ["css-display-flex"]],
    ['<p style="display:inline-grid; gap:4px">', ["css-display-grid", "css-gap"]],
    ['<p style="width:calc(1px + 2vw)">', ["css-unit-calc", "css-unit-vw"]],
    [
      '<p style="background-image: linear-gradient(red, blue)">',
      ["css-background-image", "css-linear-gradient"],
    ],
    ['<p style="color: var(--x)">', ["css-variables"]],
    ['<p style="position:absolute; top:0">', ["css-left-right-top-bottom", "css-position"]],
    [
      "<style>@media (prefers-color-scheme: dark) { p { color: red } }</style>",
      ["css-at-media", "css-at-media-prefers-color-scheme"],
    ],
    [
      "<style>@keyframes x { from { opacity: 0 } to { opacity: 1 } } a:hover { color: red }</style>",
      ["css-at-keyframes", "css-opacity", "css-pseudo-class-hover"],
    ],
    [
      "<style>@import url(x.css); a > b { color: red } a::before { color: blue }</style>",
      ["css-at-import", "css-pseudo-element-before", "css-selector-child"],
    ],
    ["<video></video><svg></svg>", ["html-svg", "html-video"]],
    ["<div inert>", ["css-inert-attribute"]],
    ["<style>.a { color: red; .b { color: blue } }</style>", ["css-nesting", "css-selector-class"]],
    ["<style>p[lang] { color: red }</style>", ["css-selector-attribute", "css-selector-type"]],
    ["<style>.a.b { color: red }</style>", ["css-selector-chaining"]],
    ['<p style="animation-name: x; transition-duration: 1s">', ["css-animation", "css-transition"]],
    ['<p style="border-block-start: 1px; border-inline-color: red">', ["css-border-inline-block-individual"]],
    ['<p style="border-inline-end-width: 1px">', ["css-border-inline-block-longhand"]],
    ['<p style="border-start-end-radius: 1px">', ["css-border-radius-logical"]],
    ['<p style="border-top-left-radius: 1px; border-left-color: red">', ["css-border", "css-border-radius"]],
    ['<p style="margin-inline-end: 1px">', ["css-margin-inline-start-end"]],
    ['<p style="padding-block-start: 1px">', ["css-padding-block-start-end"]],
    ['<p style="column-rule-width: 1px">', ["css-column-layout-properties"]],
    ['<p style="outline-offset: 1px">', ["css-outline-offset"]],
    ['<p style="block-size: 1px">', ["css-block-inline-size"]],
    ['<p style="font-family: ui-serif">', ["css-sytem-ui"]],
    ['<p style="text-emphasis-style: dot">', ["css-text-emphasis"]],
    ['<form><input type="checkbox"></form>', ["html-form", "html-input-checkbox"]],
    [
      '<img src="https://a.dev/x.webp?1" alt=""><img src="data:image/svg+xml;base64,A" alt="">',
      ["image-base64", "image-svg", "image-webp"],
    ],
  ])("%s", (content, expected) => {
    expect(features(content)).toEqual(expect.arrayContaining(expected));
  });

  test("names inside of selectors are not elements, and steps of animations are not selectors", () => {
    expect(features("<style>.a:lang(de)[dir] {} @keyframes x { from {} to {} }</style>")).not.toContain(
      "css-selector-type",
    );
    expect(features("<style>.a {} @media print { .b {} }</style>")).not.toContain("css-nesting");
  });

  // As caniemail.com shows them.
  test.each([
    ["css-display-flex", "outlook/windows", "unsupported"],
    ["css-display-grid", "gmail", "partial"],
    ["css-border-radius", "outlook/windows", "unsupported"],
    ["css-animation", "outlook/macos", "unsupported"],
    ["css-padding-inline-block", "apple-mail/ios", "supported"],
    ["css-border-inline-block", "apple-mail/macos", "supported"],
    ["css-pseudo-class-focus", "apple-mail/macos", "supported"],
    ["css-pseudo-class-active", "apple-mail/macos", "partial"],
    ["css-text-decoration-thickness", "samsung-email/android", "supported"],
    ["html-video", "gmail/desktop-webmail", "unsupported"],
    ["image-webp", "apple-mail/ios", "supported"],
  ])("%s, %s: %s by the newest version", (feature, client, expected) => {
    const { unsupported = [], partial = [] } = supportOf(feature, [client]) ?? {};
    const found = unsupported.length > 0 ? "unsupported" : partial.length > 0 ? "partial" : "supported";
    expect(found).toBe(expected);
  });

  test("comments, and styles that are not one, use nothing", () => {
    expect(features("<!--[if mso]><video></video><![endif]-->")).toEqual([]);
    expect(features('<p style=";;: ;}{">x')).toEqual(["html-p"]);
  });

  test("every client of a family is checked, and support by all of them is not a finding", async () => {
    const findings = await lintMessage(html("<style>@import 'x.css';</style>"), { clients: ["gmail"] });
    const finding = findings.find(({ message }) => message.includes("css-at-import"));
    expect(finding).toMatchObject({ rule: "html-feature", severity: "warning", where: "line 1" });
    for (const name of ["Android", "iOS", "Desktop Webmail"])
      expect(finding?.message).toContain(`Gmail (${name})`);
    expect(await rules(html("<style>@import 'x.css';</style>"), { clients: ["apple-mail"] })).toEqual([]);
  });

  test("the data has one letter for each client", () => {
    for (const [id, { support }] of supportFeatures) {
      expect(support, id).toMatch(/^[ynau]+$/);
      expect(support.length, id).toBe(supportClients.length);
    }
  });
});

test("rules can be ignored, and unknown options are rejected", async () => {
  expect(await rules(mail([]), { ignore: ["header-date", "header-from"] })).not.toContain("header-date Date");
  await expect(lintMessage(mail(head), { clients: ["netscape"] })).rejects.toMatchObject({
    code: "MAIL_OPTION_INVALID",
    details: { option: "clients" },
  });
  await expect(lintMessage(mail(head), { ignore: ["spelling" as "text-part"] })).rejects.toMatchObject({
    code: "MAIL_OPTION_INVALID",
  });
});

test("findings are sorted by severity and have a fix and a page", async () => {
  const findings = await lintMessage(html('<video></video><a href="/x">x</a>'));
  expect(findings.map(({ severity }) => severity)).toEqual(
    findings
      .map(({ severity }) => severity)
      .toSorted((one, other) => "error warning info".indexOf(one) - "error warning info".indexOf(other)),
  );
  for (const { rule, fix, page } of findings)
    expect({ fix, page }).toEqual({ fix: lintRules[rule].fix, page: `docs/reference/mail-lint.md#${rule}` });
});

test("hostile bytes are checked in bounded time", async () => {
  for (const content of [
    "<a ".repeat(200_000),
    "<p style='a:b;'>".repeat(60_000),
    `<style>${"{a:b".repeat(100_000)}`,
  ])
    expect((await lintMessage(html(content))).length).toBeLessThan(500);
  expect(await lintMessage(Buffer.alloc(0))).not.toEqual([]);
  expect(
    await lintMessage(Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) % 256))),
  ).not.toEqual([]);
});

test.each([
  ["See http://localhost:3000/confirm.", ["link-placeholder plain text"]],
  ["See http://tablekeep.dev/a and http://tablekeep.dev/a", ["link-insecure plain text"]],
  ["See https://tablekeep.dev/a", []],
])("addresses in plain text are links: %s", async (text, findings) => {
  expect(await rules(mail(head, text))).toEqual(findings);
  expect(await rules(mail(head, text), { allowHosts: ["localhost", "tablekeep.dev"] })).toEqual([]);
});

test("an address in both the plain text and the HTML is reported once", async () => {
  const raw = Buffer.from(
    html('<a href="http://tablekeep.dev/a">x</a>').toString().replace("Thanks.", "http://tablekeep.dev/a"),
  );
  expect(await rules(raw)).toEqual(["link-insecure line 1"]);
});

test.each([
  [998, "\r\n", []],
  [999, "\r\n", ["line-length line 7"]],
  [998, "\n", []],
  [999, "\n", ["line-length line 7"]],
  [1000, "\n", ["line-length line 7"]],
])("a line of %i bytes before %j", async (length, end, findings) => {
  const raw = Buffer.from(`${head.join("\r\n")}\r\n\r\n${"x".repeat(length)}${end}more${end}`);
  expect(await rules(raw)).toEqual(findings);
});
