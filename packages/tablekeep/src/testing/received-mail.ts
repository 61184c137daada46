import { linksIn, wordsIn } from "../message/links-and-codes.ts";
import { ServerError } from "../server/server-error.ts";

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

/** A message in a response of the server. */
export interface ReadMessage {
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

/** Returns a message of the server as a mail with which a test works. */
export function receivedMail(
  { id, created, envelope, subject, text = "", html = "", attachments = [] }: ReadMessage,
  { raw, cursor, fileOf }: MailExtras,
): ReceivedMail {
  const missing = (wanted: string, found: readonly string[]) => contentMissing(wanted, subject, found);
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
    link(fits) {
      const links = linksIn({ text, html });
      const found = links.find((link) => fits === undefined || link.search(fits) !== -1);
      if (found === undefined) throw missing(described("link", fits), links);
      return found;
    },
    code(fits = sixDigits) {
      const words = wordsIn({ text, html });
      // `exec` of a global expression would continue where it ended before.
      const found = new RegExp(fits.source, fits.flags.replaceAll(/[gy]/g, "")).exec(words)?.[0];
      if (found === undefined) throw missing(described("code", fits), [words.replaceAll(/\s+/g, " ").trim()]);
      return found;
    },
    async attachment(name) {
      const isIt = (filename: string) =>
        name === undefined || (typeof name === "string" ? filename === name : filename.search(name) !== -1);
      const found = attachments.find(({ filename }) => isIt(filename));
      if (found === undefined)
        throw missing(
          described("attachment", name),
          attachments.map(({ filename }) => filename),
        );
      const { index, filename, type } = found;
      return { filename, type, content: await fileOf(index) };
    },
  };
}

const sixDigits = /\b\d{6}\b/;

function described(what: string, fits: string | RegExp | undefined): string {
  return fits === undefined ? what : `${what} ${typeof fits === "string" ? JSON.stringify(fits) : fits}`;
}

/** Lines of a message, and characters of a line. */
const maxFound = 20;
const maxLength = 1_000;

/** The error for content that a mail lacks, with what it has instead. */
function contentMissing(wanted: string, subject: string, all: readonly string[]): ServerError {
  const found = all.slice(0, maxFound).map((line) => line.slice(0, maxLength));
  return new ServerError(
    "SERVER_MAIL_LACKS",
    `the mail "${subject}" has no ${wanted}; ${found.join("") === "" ? "it has none" : `it has:\n  ${found.join("\n  ")}`}`,
    { wanted, subject, found },
  );
}
