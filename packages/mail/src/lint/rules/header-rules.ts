import type { LintRuleId, Report } from "../lint-rules.ts";
import type { LintedMessage } from "../read-linted.ts";

/** Headers that RFC 5322 allows once, section 3.6. */
const unique = [
  "date",
  "from",
  "sender",
  "reply-to",
  "to",
  "cc",
  "bcc",
  "message-id",
  "in-reply-to",
  "references",
  "subject",
];

const address = /[^\s<>,;:"'()[\]\\@]+@[^\s<>,;:"'()\\@]+\.[^\s<>,;:"'()\\@.]+/g;

/** The addresses in an undecoded value. Names, which may contain addresses, do not count where the address is in brackets. */
function addressesOf(value: string): string[] {
  const bounded = value.slice(0, 10_000);
  const plain = bounded.replaceAll(/"(?:[^"\\]|\\.)*"(@?)/g, (_all, at: string) =>
    at === "@" ? "name@" : "",
  );
  const pieces = plain.replaceAll(/\([^()]*\)/g, " ").split(",");
  return pieces.flatMap((piece) => (/<([^<>]*)>/.exec(piece)?.[1] ?? piece).match(address) ?? []);
}

/** Checks the headers that every message needs. */
export function checkHeaders(message: LintedMessage, report: Report): void {
  const first = (name: string) => message.named(name)[0]?.trim() ?? "";
  const missing = (rule: LintRuleId, name: string) =>
    report(rule, `the header ${name} is missing`, { where: name });
  const date = first("date");
  if (date === "") missing("header-date", "Date");
  else if (!isDate(date))
    report("header-date", `the header Date is not a date: ${short(date)}`, { where: "Date" });
  const from = first("from");
  const addresses = addressesOf(message.top.fields.find(({ name }) => name === "from")?.value ?? "");
  if (from === "") missing("header-from", "From");
  else if (addresses.length === 0)
    report("header-from", `the header From has no address with a domain: ${short(from)}`, { where: "From" });
  else if (new Set(addresses).size > 1 && first("sender") === "")
    report("header-from", "the header From has several addresses, and there is no Sender", { where: "From" });
  const id = first("message-id");
  if (id === "") missing("header-message-id", "Message-ID");
  else if (!/^<[^\s<>@]+@[^\s<>@]+>$/.test(id))
    report("header-message-id", `the header Message-ID is malformed: ${short(id)}`, { where: "Message-ID" });
  if (!["to", "cc", "bcc"].some((name) => first(name) !== "")) missing("header-to", "To");
  if (first("subject") === "") missing("header-subject", "Subject");
  checkFields(message, report);
}

function checkFields({ top, named }: LintedMessage, report: Report): void {
  for (const name of unique) {
    const { length } = named(name);
    if (length > 1) report("header-duplicate", `the header ${name} occurs ${length} times`, { where: name });
  }
  const encoded = new Set(
    top.fields.filter(({ value }) => /[\u0080-\u00ff]/.test(value)).map(({ name }) => name),
  );
  for (const name of encoded)
    report("header-encoding", `the header ${name} has characters that are not ASCII`, { where: name });
}

/** RFC 5322 section 3.3, with the obsolete zones. */
const dateForm =
  /^(?:(mon|tue|wed|thu|fri|sat|sun),\s*)?(\d{1,2})\s+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\s+(\d{2,4})\s+(\d{2}):(\d{2})(?::(\d{2}))?\s+([+-]\d{4}|[a-z]{1,5})(?:\s*\([^()]*\))?$/i;

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Whether a value is a date that exists, with its weekday. */
function isDate(value: string): boolean {
  const [, weekday, day, month, year = "", hour, minute, second = "0"] = dateForm.exec(value) ?? [];
  if (day === undefined) return false;
  const date = new Date(`${day} ${month} ${fullYear(year)} 00:00:00 GMT`);
  return (
    // A day that does not exist becomes one of the next month.
    date.getUTCDate() === Number(day) &&
    (weekday === undefined || weekdays[date.getUTCDay()] === weekday.toLowerCase()) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) <= 60
  );
}

/** RFC 5322 section 4.3: years of two and three digits. */
function fullYear(year: string): string {
  if (year.length === 4) return year;
  const since = year.length === 3 || Number(year) >= 50 ? 1900 : 2000;
  return String(since + Number(year));
}

function short(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}

/** Checks one-click unsubscription (RFC 8058): of messages that have the header, and of bulk mail. */
export function checkUnsubscribe({ named, top }: LintedMessage, bulk: boolean, report: Report): void {
  const where = "List-Unsubscribe";
  const [value = ""] = named("list-unsubscribe");
  if (value === "") {
    const isBulk = bulk || named("list-id").length > 0 || /bulk|list/i.test(named("precedence")[0] ?? "");
    if (isBulk) report("list-unsubscribe", "bulk mail has no List-Unsubscribe header", { where });
    return;
  }
  const links = [...value.matchAll(/<([^<>]*)>/g)].map(([, link = ""]) => link.trim());
  if (!links.some((link) => /^https:\/\/[^/\s]/i.test(link)))
    report("list-unsubscribe", "List-Unsubscribe has no https address", { where });
  if (!/^List-Unsubscribe=One-Click$/i.test(named("list-unsubscribe-post")[0]?.trim() ?? ""))
    report("list-unsubscribe", "List-Unsubscribe-Post is not List-Unsubscribe=One-Click", {
      where: "List-Unsubscribe-Post",
    });
  const signatures = top.fields.filter(({ name }) => name === "dkim-signature");
  const covers = ({ value: signature }: { readonly value: string }) => {
    const signed = (/(?:^|;)\s*h\s*=([^;]*)/.exec(signature)?.[1] ?? "").toLowerCase().split(/[\s:]+/);
    return signed.includes("list-unsubscribe") && signed.includes("list-unsubscribe-post");
  };
  if (signatures.length > 0 && !signatures.some(covers))
    report("list-unsubscribe", "no DKIM signature covers List-Unsubscribe and List-Unsubscribe-Post", {
      where,
    });
}
