import type { CallOptions, Clock } from "@tablekeep/core";
import type { Mail } from "../model/mail.ts";
import type { ArrivedMessage, WantedMessage } from "../model/mail-changes.ts";
import type { MailSearch } from "../model/mail-search.ts";
import type { MailSummary } from "../model/message.ts";

/** Dependencies of waiting on a store. */
type Waiting = Pick<Mail, "list" | "search" | "wait" | "position">;

const pageSize = 100;

/**
 * Waits by cursor, never by time: first reads the position, then what was there before, then each message after the position.
 * A message that arrives meanwhile is in one of the two.
 */
export async function waitForMessage(
  mail: Waiting,
  clock: Clock,
  wanted: WantedMessage,
  { signal, deadlineMs = 30_000 }: CallOptions,
): Promise<ArrivedMessage | undefined> {
  const endsAt = clock.monotonic() + deadlineMs;
  const left = () => endsAt - clock.monotonic();
  const search = searchFor(wanted);
  let after = wanted.since;
  if (after === undefined) {
    after = await mail.position({ signal, deadlineMs });
    const there = await newestFit(mail, search, wanted, { signal, deadlineMs });
    if (there !== undefined) return { ...there, cursor: there.imported ?? there.id };
  }
  for (;;) {
    const timeoutMs = Math.max(1, Math.ceil(left()));
    const next = await mail.wait(search, { after, signal, timeoutMs });
    if (next === undefined || fits(wanted, next)) return next;
    if (left() <= 0) return undefined;
    after = next.cursor;
  }
}

/** The search that an index can answer. The other conditions are checked for each result. */
function searchFor({ to, from }: WantedMessage): MailSearch | undefined {
  if (to !== undefined) return { kind: "recipient", query: to };
  return from === undefined ? undefined : { kind: "sender", query: from };
}

async function newestFit(
  mail: Waiting,
  search: MailSearch | undefined,
  wanted: WantedMessage,
  call: CallOptions,
): Promise<MailSummary | undefined> {
  let cursor: string | undefined;
  do {
    const request = { ...call, cursor, limit: pageSize };
    const page = await (search === undefined ? mail.list(request) : mail.search(search, request));
    const found = page.items.find((each) => fits(wanted, each));
    if (found !== undefined) return found;
    cursor = page.next;
  } while (cursor !== undefined);
  return undefined;
}

function fits({ from, subject, matches }: WantedMessage, message: MailSummary): boolean {
  const { envelope, headerFrom } = message;
  return (
    (from === undefined ||
      isSame(from, envelope.from) ||
      addressesOf(headerFrom).some((each) => isSame(from, each))) &&
    (subject === undefined ||
      (typeof subject === "string"
        ? message.subject.toLowerCase().includes(subject.toLowerCase())
        : message.subject.search(subject) !== -1)) &&
    (matches === undefined || matches(message))
  );
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function addressesOf(header: string): string[] {
  return header.match(/[^\s<>,;"]+@[^\s<>,;"]+/g) ?? [];
}
