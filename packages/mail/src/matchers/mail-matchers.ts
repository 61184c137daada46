import { type LintOptions, lintMessage } from "../lint/lint-message.ts";
import type { LintFinding, LintSeverity } from "../lint/lint-rules.ts";
import { type AssertedMail, assertedMessage, requireBytes } from "./asserted-message.ts";
import { type MailSnapshotOptions, mailSnapshot } from "./mail-snapshot.ts";

/** What a matcher returns to vitest, Jest and Playwright. */
export interface MatchResult {
  readonly pass: boolean;
  /** Why the assertion failed, or why its negation did. */
  message(): string;
}

/** Options of `toPassLint`. */
export interface PassLintOptions extends LintOptions {
  /** The lowest severity that fails the assertion. @default error */
  readonly level?: LintSeverity;
}

/** The assertions as a test calls them. Add it to the matchers of your framework. */
export interface MailMatchers<Result = unknown> {
  /**
   * The subject is this string, or matches.
   *
   * @example
   * expect(mail).toHaveSubject("Welcome");
   */
  toHaveSubject(expected: string | RegExp): Result;
  /**
   * The plain text or the text of the HTML contains this string, whitespace aside, or matches.
   *
   * @example
   * expect(mail).toHaveText("Your order has shipped");
   */
  toHaveText(expected: string | RegExp): Result;
  /**
   * The text or the HTML has a link to exactly this address, or to one that matches.
   *
   * @example
   * expect(mail).toHaveLink(/verify/);
   */
  toHaveLink(expected: string | RegExp): Result;
  /**
   * The lint has no finding of this level. Asynchronous.
   *
   * @example
   * await expect(mail).toPassLint();
   */
  toPassLint(options?: PassLintOptions): Promise<Result>;
}

/** All assertions. */
export interface MailMatchersWithSnapshot<Result = unknown> extends MailMatchers<Result> {
  /**
   * The message equals its snapshot: see `mailSnapshot`. In concurrent tests of vitest, use the `expect` of the test's context.
   *
   * @example
   * expect(mail).toMatchMailSnapshot("order.txt");
   */
  toMatchMailSnapshot(name?: string, options?: MailSnapshotOptions): Result;
}

/**
 * Assertions about mail, without snapshots.
 *
 * @example
 * expect.extend(mailMatchers);
 * expect(await inbox.waitFor("ann@example.org")).toHaveLink(/verify/);
 */
export const mailMatchers = {
  toHaveSubject(mail: AssertedMail, expected: string | RegExp): MatchResult {
    checkExpected(expected, "toHaveSubject");
    const { subject } = assertedMessage(mail);
    const pass = typeof expected === "string" ? subject === expected : fits(expected, subject);
    return result(pass, `the subject to be ${shown(expected)}`, `the subject is ${shown(subject)}`);
  },
  toHaveText(mail: AssertedMail, expected: string | RegExp): MatchResult {
    checkExpected(expected, "toHaveText", 1);
    const { texts } = assertedMessage(mail);
    const wanted = typeof expected === "string" ? expected.replaceAll(/\s+/g, " ").trim() : expected;
    const pass = texts.some((text) =>
      typeof wanted === "string" ? text.includes(wanted) : fits(wanted, text),
    );
    return result(pass, `the mail to have the text ${shown(expected)}`, `its texts are:\n${listed(texts)}`);
  },
  toHaveLink(mail: AssertedMail, expected: string | RegExp): MatchResult {
    checkExpected(expected, "toHaveLink", 1);
    const { links } = assertedMessage(mail);
    const pass = links.some((link) =>
      typeof expected === "string" ? link === expected : fits(expected, link),
    );
    return result(pass, `the mail to have a link to ${shown(expected)}`, `its links are:\n${listed(links)}`);
  },
  async toPassLint(mail: AssertedMail, options: PassLintOptions = {}): Promise<MatchResult> {
    const { level = "error", ...lint } = options;
    const severities = ["error", "warning", "info"];
    if (!severities.includes(level)) throw new TypeError(`level must be one of ${severities.join(", ")}`);
    const findings = await lintMessage(requireBytes(mail, "toPassLint"), lint);
    const failing = findings.filter(
      ({ severity }) => severities.indexOf(severity) <= severities.indexOf(level),
    );
    return result(
      failing.length === 0,
      "the mail to pass lint",
      `it has:\n${listed(failing.map(findingText))}`,
    );
  },
};

/** The part of `expect` that snapshots need. vitest, Jest and Playwright have it. */
export type SnapshotExpect = (actual: unknown) => { toMatchSnapshot(name?: string): unknown };

/** The part of what vitest calls a matcher with. In concurrent tests only the `expect` of the test itself can store snapshots. */
interface MatcherContext {
  readonly task?: { readonly context?: { readonly expect?: SnapshotExpect } };
}

/**
 * Returns all assertions about mail, for the `expect` that stores snapshots.
 *
 * @example
 * expect.extend(mailMatchersFor(expect));
 * expect(message).toMatchMailSnapshot();
 */
export function mailMatchersFor(expect: SnapshotExpect): typeof mailMatchers & {
  toMatchMailSnapshot(mail: AssertedMail, name?: string, options?: MailSnapshotOptions): MatchResult;
} {
  return {
    ...mailMatchers,
    toMatchMailSnapshot(this: MatcherContext | undefined, mail, name, options) {
      const own = this?.task?.context?.expect ?? expect;
      const compared = own(mailSnapshot(mail, options));
      if (name === undefined) compared.toMatchSnapshot();
      else compared.toMatchSnapshot(name);
      return { pass: true, message: () => "expected the mail not to equal its snapshot" };
    },
  };
}

/** Rejects a value that would match anything or nothing, such as a variable that is not set. */
function checkExpected(expected: unknown, matcher: string, minLength = 0): void {
  const isText = typeof expected === "string" && expected.trim().length >= minLength;
  // Test runners may have their own global object, with another RegExp.
  if (isText || Object.prototype.toString.call(expected) === "[object RegExp]") return;
  const form = minLength === 0 ? "a string" : "a non-empty string";
  throw new TypeError(`${matcher} expects ${form} or a regular expression, got ${JSON.stringify(expected)}`);
}

/** `test` of a global pattern would continue where it ended before. */
function fits(pattern: RegExp, text: string): boolean {
  return text.search(pattern) >= 0;
}

function result(pass: boolean, wanted: string, found: string): MatchResult {
  return { pass, message: () => `expected ${pass ? wanted.replace(" to ", " not to ") : wanted}; ${found}` };
}

function shown(value: string | RegExp): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function listed(lines: readonly string[]): string {
  return lines.length === 0 ? "  (none)" : lines.map((line) => `  ${line.slice(0, 1000)}`).join("\n");
}

function findingText({ severity, rule, message, where, fix }: LintFinding): string {
  return `${severity} ${rule}: ${message}${where === undefined ? "" : ` (${where})`}. ${fix}`;
}
