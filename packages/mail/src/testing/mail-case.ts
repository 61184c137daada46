import assert from "node:assert/strict";
import type { Mail } from "../model/mail.ts";
import type { MailSearch } from "../model/mail-search.ts";
import type { Envelope, MailSummary } from "../model/message.ts";

/** What a mail store may not support. Cases that need it are skipped. */
export interface MailAbilities {
  /** Accepts messages of several MB. @default true */
  readonly largeMessages: boolean;
  /** Can be opened with injected faults. @default whether `openWithFaults` is passed */
  readonly faults: boolean;
}

/** The environment of a case. Cases run one after the other on one table; each starts with an empty store. */
export interface MailWorld {
  readonly mail: Mail;
  /** The same store in a separate process. */
  another(): Promise<Mail>;
  /** The same store with the injected faults of a schedule, in the notation of testkit. */
  withFaults(schedule: string): Promise<Mail>;
}

/** A check of one behavior of a mail store. */
export interface MailCase {
  /** Describes the behavior; unique in the suite. */
  readonly name: string;
  readonly needs?: keyof MailAbilities;
  readonly run: (world: MailWorld) => Promise<void>;
}

/** From Ann to Bob. */
export const envelope: Envelope = {
  from: "ann@example.org",
  to: ["bob@example.com"],
  helo: "client.example",
};

/** A message of Ann's to Bob. */
export function letter(subject: string, body: string = "Hello.\r\n"): Buffer {
  return Buffer.from(
    `From: Ann <ann@example.org>\r\nTo: Bob <bob@example.com>\r\nSubject: ${subject}\r\n\r\n${body}`,
  );
}

/** Stores letters with the subjects 1 to `count`, one after the other. */
export async function storeLetters(mail: Mail, count: number): Promise<MailSummary[]> {
  const stored: MailSummary[] = [];
  for (let n = 1; n <= count; n++) stored.push(await mail.store(envelope, letter(String(n))));
  return stored;
}

/** The subjects of a list, in its order. */
export function subjectsOf(items: readonly MailSummary[]): string[] {
  return items.map(({ subject }) => subject);
}

/** Expects a search to find messages with these subjects, newest first, and this total. */
export async function finds(mail: Mail, search: MailSearch, subjects: readonly string[]): Promise<void> {
  const { items, total } = await mail.search(search, { total: true });
  assert.deepEqual(subjectsOf(items), subjects, `by ${JSON.stringify(search)}`);
  assert.equal(total, subjects.length);
}

/** Expects a rejection with this code, and returns the error. */
export async function rejectsWith(
  work: Promise<unknown>,
  code: string,
): Promise<{ readonly ambiguous: boolean }> {
  try {
    await work;
  } catch (error) {
    const found = error as { readonly code?: string; readonly ambiguous?: boolean };
    assert.equal(found.code, code, String(error));
    return { ambiguous: found.ambiguous ?? false };
  }
  throw new assert.AssertionError({ message: `expected a rejection with ${code}` });
}
