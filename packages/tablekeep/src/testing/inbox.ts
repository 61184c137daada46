/** A mail that a test has received. */
export interface ReceivedMail {
  readonly id: string;
  /** When it was received, in milliseconds since 1970. */
  readonly created: number;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The first link that fits, of the text or else of the HTML. @default any */
  link(fits?: RegExp): string;
  /** The first code outside of links. @default six digits */
  code(fits?: RegExp): string;
}

/** What a wait may be told. */
export interface WaitOptions {
  /** Milliseconds to wait, 50,000 at most. @default 10,000 */
  readonly timeoutMs?: number;
  /** The mail before, if there was one to the same address. @default none */
  readonly after?: ReceivedMail;
}

/** All mail of a server, for tests. */
export interface Inbox {
  /** The newest mail to an address; if there is none yet, the first that comes. */
  waitFor(address: string, options?: WaitOptions): Promise<ReceivedMail>;
}

/** The inbox of the server at `url`, the address of its web page. */
export function inboxAt(url: string): Inbox {
  const read = async (path: string) => {
    const answer = await fetch(new URL(`/api/v3/mail/${path}`, url));
    if (!answer.ok) throw new Error(`the inbox answers ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  return {
    async waitFor(address, { timeoutMs = 10_000, after } = {}) {
      const query = new URLSearchParams({ kind: "recipient", query: address, timeoutMs: String(timeoutMs) });
      if (after !== undefined) query.set("since", String(after.created + 1));
      const { message } = (await read(`wait?${query}`)) as { message: { id: string } | null };
      if (message === null) throw new Error(`no mail to ${address} came within ${timeoutMs} ms`);
      return received((await read(`messages/${encodeURIComponent(message.id)}`)) as ReadMessage);
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

function received({ id, created, subject, text = "", html = "" }: ReadMessage): ReceivedMail {
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
