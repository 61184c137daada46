import { systemClock } from "@tablekeep/core";
import { invalidOption, rejectUnknownOptions } from "../server/options/option-checks.ts";
import { callServer, serverAddress } from "./call-server.ts";
import { callThroughRestart } from "./call-through-restart.ts";
import { type ReadMessage, type ReceivedMail, receivedMail } from "./received-mail.ts";
import { timedOut } from "./wait-until.ts";

/** How to wait for a mail. */
export interface WaitOptions {
  /** Milliseconds to wait, at most 50,000. The default is below the 5 seconds of a test in vitest. @default 4,000 */
  readonly timeoutMs?: number;
  /**
   * The previous mail, or a `position()`: returns the next mail that fits. null returns the oldest, so that a chain of waits
   * begins with the first mail. @default the newest mail
   */
  readonly after?: ReceivedMail | string | null;
  /** Ends the wait. @default none */
  readonly signal?: AbortSignal;
}

/** The mail that a test waits for: all given conditions hold. */
export interface WantedMail {
  /** The whole address of a recipient. */
  readonly to?: string;
  /** The whole address of the sender. */
  readonly from?: string;
  /** A part of the subject, ignoring case, or an expression that it matches. */
  readonly subject?: string | RegExp;
}

/** The mail of a server, or of one of its inboxes, for tests. */
export interface Inbox {
  /**
   * Returns the newest mail that fits or, with `after`, the next one. If there is none, waits for the first. A string is the
   * address of a recipient.
   *
   * @example
   * const first = await inbox.waitFor("ann@example.org");
   * const second = await inbox.waitFor({ to: "ann@example.org", subject: /reminder/i }, { after: first });
   */
  waitFor(wanted: string | WantedMail, options?: WaitOptions): Promise<ReceivedMail>;
  /**
   * Returns the position after all mail received so far, for `after`.
   *
   * @example
   * const since = await inbox.position();
   * await placeOrder();
   * const mail = await inbox.waitFor("ann@example.org", { after: since });
   */
  position(): Promise<string>;
}

/** Which inbox, and how to authenticate. */
export interface InboxOptions {
  /** The name of the inbox. @default the default inbox */
  readonly inbox?: string;
  /** The token of the inbox, or one of the server. @default none */
  readonly token?: string;
  /** Ends all calls. @default none */
  readonly signal?: AbortSignal;
}

/**
 * Returns the inbox of the server at `url`, the address of its web page.
 *
 * @example
 * const inbox = inboxAt("http://127.0.0.1:8025/");
 * const since = await inbox.position();
 * await signUp("new@example.com");
 * const mail = await inbox.waitFor({ to: "new@example.com", subject: /welcome/i }, { after: since });
 */
export function inboxAt(url: string, { inbox, token, signal: ended }: InboxOptions = {}): Inbox {
  const base = new URL(`${inbox === undefined ? "" : `inbox/${inbox}/`}api/v3/mail/`, serverAddress(url));
  const request = (path: string, signal?: AbortSignal, deadlineMs?: number) =>
    callServer(new URL(path, base), { token, signal: either(ended, signal), deadlineMs });
  const read = async (path: string, signal?: AbortSignal, deadlineMs?: number) =>
    (await request(path, signal, deadlineMs)).json();
  const open = async ({ id, cursor }: FoundMail, signal?: AbortSignal) => {
    const path = `messages/${encodeURIComponent(id)}`;
    const [whole, raw] = await Promise.all([read(path, signal), request(`${path}/raw`, signal)]);
    const fileOf = async (index: number) =>
      new Uint8Array(await (await request(`${path}/attachments/${index}`)).arrayBuffer());
    return receivedMail(whole as ReadMessage, {
      raw: new Uint8Array(await raw.arrayBuffer()),
      cursor,
      fileOf,
    });
  };
  const listNewest = async (signal?: AbortSignal) => {
    const { messages } = (await read("messages?limit=20", signal)) as { messages: readonly ReadMessage[] };
    return messages.map(({ envelope, subject }) => `to ${envelope.to.join(", ")}: ${subject}`).toReversed();
  };
  return {
    async waitFor(given, { timeoutMs = 4000, after, signal } = {}) {
      const wanted = typeof given === "string" ? { to: given } : given;
      // A misspelled or empty condition would return any mail.
      rejectUnknownOptions(wanted, { to: "", from: "", subject: "" });
      rejectEmptyConditions(wanted);
      const endsAt = systemClock.monotonic() + timeoutMs;
      const next = async (cursor: string | undefined) => {
        const query = new URLSearchParams(conditionsOf(wanted));
        if (cursor !== undefined) query.set("after", cursor);
        const wait = (leftMs: number) => {
          query.set("timeoutMs", String(leftMs));
          return read(`wait?${query}`, signal, leftMs + graceMs);
        };
        const answer = await callThroughRestart(wait, { endsAt, signal: either(ended, signal) });
        return (answer as { readonly message: FoundMail | null }).message;
      };
      const found = await findNext(next, after === undefined ? undefined : cursorOf(after), wanted);
      if (found !== null) return open(found, signal);
      throw timedOut(`mail ${described(wanted)}`, timeoutMs, await listNewest(signal).catch(() => []));
    },
    position: async () => ((await read("position")) as { cursor: string }).cursor,
  };
}

/** Milliseconds that the server has to report that nothing came. */
const graceMs = 60_000;

function either(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one !== undefined && other !== undefined ? AbortSignal.any([one, other]) : (one ?? other);
}

interface FoundMail {
  readonly id: string;
  readonly cursor: string;
  readonly subject: string;
}

/** Returns the mail after a cursor, or the newest without one; null if none came in time. */
type NextMail = (cursor: string | undefined) => Promise<FoundMail | null>;

/** Only this process can apply an expression: it reads one mail after the other. */
async function findNext(
  next: NextMail,
  after: string | undefined,
  { subject }: WantedMail,
): Promise<FoundMail | null> {
  const fits = (mail: FoundMail) => !(subject instanceof RegExp) || mail.subject.search(subject) !== -1;
  let found = await next(after);
  if (after === undefined && found !== null && !fits(found)) {
    const older = await newestUntil(next, found.id, fits);
    if (older !== undefined) return older;
  }
  while (found !== null && !fits(found)) found = await next(found.cursor);
  return found;
}

/** Returns the newest mail that fits, of those from the oldest to the one with this id. */
async function newestUntil(
  next: NextMail,
  lastId: string,
  fits: (mail: FoundMail) => boolean,
): Promise<FoundMail | undefined> {
  let newest: FoundMail | undefined;
  for (let each = await next(""); each !== null; each = await next(each.cursor)) {
    if (fits(each)) newest = each;
    if (each.id === lastId) break;
  }
  return newest;
}

function rejectEmptyConditions(wanted: WantedMail): void {
  for (const option of ["to", "from", "subject"] as const)
    if (wanted[option] === "") throw invalidOption(option, 'must be a non-empty string, got ""');
}

function cursorOf(after: ReceivedMail | string | null): string {
  return typeof after === "string" ? after : (after?.cursor ?? "");
}

function conditionsOf({ to, from, subject }: WantedMail): Record<string, string> {
  return {
    ...(to !== undefined && { to }),
    ...(from !== undefined && { from }),
    ...(typeof subject === "string" && { subject }),
  };
}

function described({ to, from, subject }: WantedMail): string {
  const parts = [
    ...(to === undefined ? [] : [`to ${to}`]),
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(subject === undefined ? [] : [`with the subject ${subject}`]),
  ];
  return parts.join(" ");
}
