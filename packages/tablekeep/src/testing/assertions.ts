import { AssertionError } from "node:assert";
import type { JournalEvent } from "@tablekeep/journal";
import type { AssertedMail, MatchResult } from "@tablekeep/mail/matchers";
import { type ExpectedMail, matchers } from "./matchers.ts";
import type { ShadowVersion } from "./shadow-changes.ts";
import type { TestEvents } from "./test-events.ts";
import type { TestShadow } from "./test-shadow.ts";

/**
 * Throws an `AssertionError` unless the mail has everything that is given. For node:test and other runners without matchers.
 *
 * @example
 * assertMail(mail, { subject: "Welcome", link: /confirm/ });
 */
export function assertMail(mail: AssertedMail, expected: ExpectedMail): void {
  assertPass(matchers.toMatchMail(mail, expected), assertMail);
}

/**
 * Rejects with an `AssertionError` unless the events are exactly these, in order, by their payloads.
 *
 * @example
 * await assertEvents(t.events("cart-1"), [{ added: "apple" }, { paid: 3 }]);
 */
export async function assertEvents(
  events: TestEvents | readonly JournalEvent[],
  expected: readonly unknown[],
): Promise<void> {
  assertPass(await matchers.toHaveEvents(events, expected), assertEvents);
}

/**
 * Rejects with an `AssertionError` unless the reported state has these values.
 *
 * @example
 * await assertReported(t.shadow("lamp"), { on: true });
 */
export async function assertReported(shadow: TestShadow | ShadowVersion, expected: object): Promise<void> {
  assertPass(await matchers.toHaveReported(shadow, expected), assertReported);
}

function assertPass({ pass, message }: MatchResult, caller: (...parameters: never[]) => unknown): void {
  if (!pass) throw new AssertionError({ message: message(), stackStartFn: caller });
}
