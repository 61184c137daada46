/** A mail that a test has received. */
export interface ReceivedMail {
  readonly id: string;
  /** When it was received, in milliseconds since 1970. */
  readonly created: number;
  /** The cursor after this mail, in the order in which the server received them. */
  readonly cursor: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The first matching link in the text, or else in the HTML. @default any */
  link(fits?: RegExp): string;
  /** The first code outside of links. @default six digits */
  code(fits?: RegExp): string;
}

/** How to wait for a mail. */
export interface WaitOptions {
  /** Milliseconds to wait, at most 50,000. The default is below the 5 seconds of a test in vitest. @default 4,000 */
  readonly timeoutMs?: number;
  /**
   * The previous mail: returns the next one to the address. null returns the oldest, so that a chain of waits begins
   * with the first mail. @default the newest mail
   */
  readonly after?: ReceivedMail | null;
}

/** All mail of a server, for tests. */
export interface Inbox {
  /** Returns the newest mail to an address or, with `after`, the next one. If there is none, waits for the first. */
  waitFor(address: string, options?: WaitOptions): Promise<ReceivedMail>;
}

/** The inbox of the server at `url`, the address of its web page. */
export function inboxAt(url: string): Inbox {
  const read = async (path: string) => {
    const answer = await fetch(new URL(`api/v3/mail/${path}`, url));
    if (!answer.ok) throw new Error(`the inbox answers ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  return {
    async waitFor(address, { timeoutMs = 4000, after } = {}) {
      const query = new URLSearchParams({ kind: "recipient", query: address, timeoutMs: String(timeoutMs) });
      if (after !== undefined) query.set("after", after?.cursor ?? "");
      const { message } = (await read(`wait?${query}`)) as { message: { id: string; cursor: string } | null };
      if (message === null) throw new Error(`no mail to ${address} came within ${timeoutMs} ms`);
      const whole = (await read(`messages/${encodeURIComponent(message.id)}`)) as ReadMessage;
      return received(whole, message.cursor);
    },
  };
}

interface ReadMessage {
  readonly id: string;
  readonly created: string;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
}

function received({ id, created, subject, text = "", html = "" }: ReadMessage, cursor: string): ReceivedMail {
  const find = (what: string, found: string | undefined) => {
    if (found === undefined) throw new Error(`there is no ${what} in "${subject}": ${text || html}`);
    return found;
  };
  const links = [...text.matchAll(/https?:\/\/[^\s<>"']+/g)].map(([link]) => link);
  const inHtml = [...html.matchAll(/\bhref="(https?:[^"]+)"/g)].map(([, link = ""]) =>
    link.replaceAll("&amp;", "&"),
  );
  return {
    id,
    created: Date.parse(created),
    cursor,
    subject,
    text,
    html,
    link: (fits = /./) =>
      find(
        "link",
        [...links, ...inHtml].find((link) => fits.test(link)),
      ),
    code(fits = /\b\d{6}\b/) {
      const words = (text || html.replaceAll(/<[^>]*>/g, " ")).replaceAll(/https?:\/\/\S+/g, " ");
      return find("code", fits.exec(words)?.[0]);
    },
  };
}
