import { systemClock } from "@tablekeep/core";
import { linksIn, wordsIn } from "../message/links-and-codes.ts";
import { rejectUnknownOptions } from "../server/options/option-checks.ts";
import { callServer, serverAddress } from "./call-server.ts";
import { timedOut } from "./wait-until.ts";

/** A mail that a test has received. */
export interface ReceivedMail {
  readonly id: string;
  /** When it was received, in milliseconds since 1970. */
  readonly created: number;
  /** The cursor after this mail, in the order in which the server received them. */
  readonly cursor: string;
  /** The sender of the envelope. */
  readonly from: string;
  /** The recipients of the envelope. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The bytes as received. */
  readonly raw: Uint8Array;
  /**
   * Returns the first matching link in the text, or else in the HTML. Throws if there is none. @default any
   *
   * @example
   * await fetch(mail.link(/confirm/));
   */
  link(fits?: RegExp): string;
  /**
   * Returns the first code outside links. Throws if there is none. @default six digits
   *
   * @example
   * await signIn("ann@example.org", mail.code());
   */
  code(fits?: RegExp): string;
  /**
   * Returns the first attachment with this name, or a name that matches. @default any
   *
   * @example
   * const { content } = await mail.attachment(/\.pdf$/);
   */
  attachment(name?: string | RegExp): Promise<ReceivedFile>;
}

/** A file of a mail. */
export interface ReceivedFile {
  readonly filename: string;
  readonly type: string;
  readonly content: Uint8Array;
}

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
    return received(whole as ReadMessage, { raw: new Uint8Array(await raw.arrayBuffer()), cursor, fileOf });
  };
  const listNewest = async (signal?: AbortSignal) => {
    const { messages } = (await read("messages?limit=20", signal)) as { messages: readonly ReadMessage[] };
    return messages.map(({ envelope, subject }) => `to ${envelope.to.join(", ")}: ${subject}`).toReversed();
  };
  return {
    async waitFor(given, { timeoutMs = 4000, after, signal } = {}) {
      const wanted = typeof given === "string" ? { to: given } : given;
      // A misspelled condition would return any mail.
      rejectUnknownOptions(wanted, { to: "", from: "", subject: "" });
      const endsAt = systemClock.monotonic() + timeoutMs;
      const query = new URLSearchParams(conditionsOf(wanted));
      if (after !== undefined) query.set("after", cursorOf(after));
      // Only this process can apply an expression: it reads each mail from the first.
      else if (wanted.subject instanceof RegExp) query.set("after", "");
      for (;;) {
        const leftMs = Math.max(1, Math.ceil(endsAt - systemClock.monotonic()));
        query.set("timeoutMs", String(leftMs));
        const answer = await read(`wait?${query}`, signal, leftMs + graceMs);
        const { message } = answer as { message: FoundMail | null };
        if (message === null)
          throw timedOut(`mail ${described(wanted)}`, timeoutMs, await listNewest(signal).catch(() => []));
        if (!(wanted.subject instanceof RegExp) || message.subject.search(wanted.subject) !== -1)
          return open(message, signal);
        query.set("after", message.cursor);
      }
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

interface ReadMessage {
  readonly id: string;
  readonly created: string;
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly attachments?: readonly {
    readonly index: number;
    readonly filename: string;
    readonly type: string;
  }[];
}

/** What belongs to a mail beside its decoded content. */
interface MailExtras {
  readonly raw: Uint8Array;
  readonly cursor: string;
  /** The content of a file by its index. */
  readonly fileOf: (index: number) => Promise<Uint8Array>;
}

function received(
  { id, created, envelope, subject, text = "", html = "", attachments = [] }: ReadMessage,
  { raw, cursor, fileOf }: MailExtras,
): ReceivedMail {
  const find = <Found>(what: string, found: Found | undefined): Found => {
    if (found === undefined) throw new Error(`there is no ${what} in "${subject}": ${text || html}`);
    return found;
  };
  return {
    id,
    raw,
    created: Date.parse(created),
    cursor,
    from: envelope.from,
    to: envelope.to,
    subject,
    text,
    html,
    link: (fits = /./) =>
      find(
        "link",
        linksIn({ text, html }).find((link) => fits.test(link)),
      ),
    code(fits = /\b\d{6}\b/) {
      return find("code", fits.exec(wordsIn({ text, html }))?.[0]);
    },
    async attachment(name = /^/) {
      const isIt = (filename: string) =>
        typeof name === "string" ? filename === name : filename.search(name) !== -1;
      const found = attachments.find(({ filename }) => isIt(filename));
      const { index, filename, type } = find(`attachment ${name}`, found);
      return { filename, type, content: await fileOf(index) };
    },
  };
}
