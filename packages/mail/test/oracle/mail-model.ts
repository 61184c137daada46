import type { Envelope, MailSearch } from "../../src/index.ts";
import { mailhogMessage } from "../../src/mailhog/mailhog-message.ts";
import { readOverview, textOf } from "../../src/mime/read-overview.ts";

/** A message as a test remembers it. */
export interface Remembered {
  readonly id: string;
  readonly created: number;
  readonly envelope: Envelope;
  readonly raw: Buffer;
}

/** A mail store that is nothing but a list. */
export class MailModel {
  #messages: Remembered[] = [];
  readonly #ttlSeconds: number;
  readonly #now: () => number;

  constructor(ttlDays: number, now: () => number) {
    this.#ttlSeconds = ttlDays * 86_400;
    this.#now = now;
  }

  add(message: Remembered): void {
    this.#messages.push(message);
  }

  /** Newest first. */
  live(): Remembered[] {
    const now = Math.floor(this.#now() / 1000);
    return this.#messages
      .filter(({ created }) => Math.floor(created / 1000) + this.#ttlSeconds > now)
      .toSorted((one, other) => (one.id < other.id ? 1 : -1));
  }

  find(search: MailSearch): Remembered[] {
    return this.live().filter((message) => finds(search, message));
  }

  remove(ids: readonly string[]): number {
    const gone = this.live().filter(({ id }) => ids.includes(id));
    this.#messages = this.#messages.filter((message) => !gone.includes(message));
    return gone.length;
  }
}

function finds({ kind, query }: MailSearch, message: Remembered): boolean {
  const { From, To, Content } = mailhogMessage({ ...message, hostname: "mailhog.example" });
  const includes = (texts: readonly string[]) =>
    texts.some((text) => text.toLowerCase().includes(query.toLowerCase()));
  const overview = readOverview(message.raw);
  const { from, to } = message.envelope;
  const equals = (addresses: readonly string[]) =>
    addresses.some((address) => address.toLowerCase() === query.toLowerCase());
  switch (kind) {
    case "from":
      return includes([`${From.Mailbox}@${From.Domain}`, ...(Content.Headers["From"] ?? [])]);
    case "to":
      return includes([
        ...(To ?? []).map(({ Mailbox, Domain }) => `${Mailbox}@${Domain}`),
        ...(Content.Headers["To"] ?? []),
      ]);
    case "containing":
      return includes([Content.Body, ...Object.values(Content.Headers).flat()]);
    case "text":
      return includes([textOf(overview)]);
    case "sender":
      return equals([from, ...overview.senders]);
    case "recipient":
      return equals([...to, ...overview.recipients]);
  }
}
