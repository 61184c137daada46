import { defaultImapLimits } from "@tablekeep/mail/imap";
import { defaultChaosSettings, defaultSmtpConnectionLimits, defaultSmtpLimits } from "@tablekeep/mail/smtp";
import { expect, test } from "vitest";
import { readDocs, sectionOf, tableRows } from "./read-docs.ts";

const page = readDocs("docs/reference/smtp.md");

test("docs/reference/smtp.md lists every limit with its default, and no other", () => {
  const rows = tableRows(sectionOf(page, "## Limits"));
  expect(Object.fromEntries(rows.map(([name, , value]) => [name, Number(value)]))).toEqual({
    ...defaultSmtpLimits,
    ...defaultSmtpConnectionLimits,
  });
});

test("docs/reference/smtp.md lists every setting of chaos with its default, and no other", () => {
  const rows = tableRows(sectionOf(page, "## Fault injection"));
  const { seed: _seed, ...settings } = defaultChaosSettings;
  expect(Object.fromEntries(rows.map(([name, value]) => [name, Number(value)]))).toEqual(settings);
});

test("docs/reference/imap.md lists every limit with its default, and no other", () => {
  const rows = tableRows(sectionOf(readDocs("docs/reference/imap.md"), "## Limits"));
  expect(Object.fromEntries(rows.map(([name, , value]) => [name, Number(value)]))).toEqual(defaultImapLimits);
});
