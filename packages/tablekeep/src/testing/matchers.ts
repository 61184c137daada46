import type { JournalEvent } from "@tablekeep/journal";
import { type AssertedMail, type MatchResult, mailMatchers } from "@tablekeep/mail/matchers";
import { differences, printed } from "./differences.ts";
import type { ShadowVersion } from "./shadow-changes.ts";
import type { TestEvents } from "./test-events.ts";
import type { TestShadow } from "./test-shadow.ts";

/** What a mail is expected to have: all that is given. A string is the whole subject or address, a part of the text, a whole link. */
export interface ExpectedMail {
  readonly subject?: string | RegExp;
  /** A part of the plain text, or of the text of the HTML. */
  readonly text?: string | RegExp;
  readonly link?: string | RegExp;
  /** The sender of the envelope. */
  readonly from?: string | RegExp;
  /** A recipient of the envelope. */
  readonly to?: string | RegExp;
}

/** The assertions as a test calls them. Add it to the matchers of your framework. */
export interface TestMatchers<Result = unknown> {
  /**
   * The subject is this string, or matches.
   *
   * @example
   * expect(mail).toHaveSubject("Welcome");
   */
  toHaveSubject(expected: string | RegExp): Result;
  /**
   * The text or the HTML has a link to exactly this address, or to one that matches.
   *
   * @example
   * expect(mail).toHaveLink(/confirm/);
   */
  toHaveLink(expected: string | RegExp): Result;
  /**
   * The mail has everything that is given.
   *
   * @example
   * expect(mail).toMatchMail({ subject: "Welcome", to: "ann@example.org", link: /confirm/ });
   */
  toMatchMail(expected: ExpectedMail): Result;
  /**
   * The events are exactly these, in order, by their payloads. Members of a payload that are not named do not count.
   *
   * @example
   * await expect(t.events("cart-1")).toHaveEvents([{ type: "added" }, { type: "paid" }]);
   */
  toHaveEvents(expected: readonly unknown[]): Promise<Result>;
  /**
   * The reported state has these values. Others do not count.
   *
   * @example
   * await expect(t.shadow("lamp")).toHaveReported({ on: true });
   */
  toHaveReported(expected: object): Promise<Result>;
  /**
   * The desired state has these values. Others do not count.
   *
   * @example
   * await expect(t.shadow("lamp")).toHaveDesired({ on: true });
   */
  toHaveDesired(expected: object): Promise<Result>;
}

/** A mail of an inbox has an envelope beside its content. */
type MailWithEnvelope = AssertedMail & { readonly from?: unknown; readonly to?: unknown };

/**
 * Assertions about mail, events and shadows, for `expect.extend` of vitest, Jest and Playwright. The names differ from those of
 * Playwright's own, such as `toHaveText`.
 *
 * @example
 * expect.extend(matchers);
 * await expect(t.shadow("lamp")).toHaveReported({ on: true });
 */
export const matchers = {
  toHaveSubject: (mail: AssertedMail, expected: string | RegExp): MatchResult =>
    mailMatchers.toHaveSubject(mail, expected),
  toHaveLink: (mail: AssertedMail, expected: string | RegExp): MatchResult =>
    mailMatchers.toHaveLink(mail, expected),
  toMatchMail(mail: MailWithEnvelope, expected: ExpectedMail): MatchResult {
    rejectOthers("toMatchMail", expected, ["subject", "text", "link", "from", "to"]);
    const { subject = anything, text, link, from, to } = expected;
    const checks = [
      mailMatchers.toHaveSubject(mail, subject),
      text === undefined ? undefined : mailMatchers.toHaveText(mail, text),
      link === undefined ? undefined : mailMatchers.toHaveLink(mail, link),
      from === undefined ? undefined : hasAddress("sender", mail.from, from),
      to === undefined ? undefined : hasAddress("recipient", mail.to, to),
    ].filter((check) => check !== undefined);
    const failed = checks.filter(({ pass }) => !pass);
    const message = () =>
      failed.length === 0
        ? `expected the mail not to match ${printed(expected)}`
        : failed.map((check) => check.message()).join("\n");
    return { pass: failed.length === 0, message };
  },
  async toHaveEvents(
    events: TestEvents | readonly JournalEvent[],
    expected: readonly unknown[],
  ): Promise<MatchResult> {
    if (!isEvents(events) && !Array.isArray(events))
      throw new TypeError(`expected t.events(id) or a list of events, got ${printed(events)}`);
    const all = isEvents(events) ? await events.read() : events;
    const payloads = all.map(({ payload }) => payload);
    return compared("events", expected, payloads);
  },
  toHaveReported: (shadow: TestShadow | ShadowVersion, expected: object): Promise<MatchResult> =>
    hasState(shadow, "reported", expected),
  toHaveDesired: (shadow: TestShadow | ShadowVersion, expected: object): Promise<MatchResult> =>
    hasState(shadow, "desired", expected),
};

const anything = /(?:)/;

/** Only TypeScript reports a misspelled name, and an assertion without conditions always passes. */
function rejectOthers(matcher: string, expected: object, known: readonly string[]): void {
  const [other] = Object.keys(expected).filter((name) => !known.includes(name));
  if (other !== undefined)
    throw new TypeError(`${matcher} has no condition "${other}"; expected one of ${known.join(", ")}`);
}

function isEvents(value: object): value is TestEvents {
  return typeof value === "object" && value !== null && "read" in value;
}

async function hasState(
  shadow: TestShadow | ShadowVersion,
  half: "reported" | "desired",
  expected: object,
): Promise<MatchResult> {
  if (typeof shadow !== "object" || shadow === null || !("get" in shadow || "state" in shadow))
    throw new TypeError(`expected t.shadow(thing) or a version of it, got ${printed(shadow)}`);
  const version = "get" in shadow ? await shadow.get() : shadow;
  if (version === undefined)
    return {
      pass: false,
      message: () => `expected the shadow to have ${half} ${printed(expected)}; it does not exist`,
    };
  return compared(`${half} state`, expected, version.state[half] ?? {});
}

function hasAddress(what: string, actual: unknown, expected: string | RegExp): MatchResult {
  const found = (Array.isArray(actual) ? actual : [actual]).map((each) => String(each ?? ""));
  const fits = (address: string) =>
    typeof expected === "string"
      ? address.toLowerCase() === expected.toLowerCase()
      : address.search(expected) !== -1;
  const message = () => `expected the ${what} ${printed(expected)}; it is ${found.join(", ") || "unknown"}`;
  return { pass: found.some(fits), message };
}

function compared(what: string, expected: unknown, actual: unknown): MatchResult {
  const lines = differences(expected, actual);
  const pass = lines.length === 0;
  const message = () =>
    pass
      ? `expected the ${what} not to match ${printed(expected)}`
      : `expected the ${what} to match:\n  ${lines.join("\n  ")}\nall of it: ${printed(actual)}`;
  return { pass, message };
}
