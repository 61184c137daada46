import { readLinted } from "../lint/read-linted.ts";
import { htmlLinks, htmlText, textLinks } from "../mime/html-text.ts";

/**
 * What the assertions accept: the bytes of a message, an object with them, such as a message of the store, or an object with the
 * decoded texts, such as a mail of an inbox for tests.
 */
export type AssertedMail =
  | Uint8Array
  | string
  | { readonly raw: Uint8Array | string }
  | { readonly subject?: string; readonly text?: string; readonly html?: string };

/** A message as the assertions read it. */
export interface AssertedMessage {
  readonly subject: string;
  /** The plain text, and the text of the HTML. */
  readonly texts: readonly string[];
  /** The addresses of links in the text and in the HTML, each once. */
  readonly links: readonly string[];
}

export function assertedMessage(mail: AssertedMail): AssertedMessage {
  const bytes = bytesOf(mail);
  const parts = bytes === undefined ? decodedParts(mail as Decoded) : readParts(bytes);
  const { subject, texts, htmls } = parts;
  return {
    subject,
    texts: [...texts, ...htmls.map(htmlText)].map((text) => text.replaceAll(/\s+/g, " ").trim()),
    links: [...new Set([...htmls.flatMap(htmlLinks), ...texts.flatMap(textLinks)])],
  };
}

interface Decoded {
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
}

interface Parts {
  readonly subject: string;
  readonly texts: readonly string[];
  readonly htmls: readonly string[];
}

function decodedParts({ subject = "", text = "", html = "" }: Decoded): Parts {
  return { subject, texts: text === "" ? [] : [text], htmls: html === "" ? [] : [html] };
}

function readParts(raw: Uint8Array): Parts {
  const { named, texts, htmls } = readLinted(raw);
  return { subject: named("subject")[0] ?? "", texts, htmls: htmls.map(({ html }) => html) };
}

const parts = ["raw", "subject", "text", "html"];

/** The bytes of a message; undefined if it has only decoded texts. */
function bytesOf(mail: AssertedMail): Uint8Array | undefined {
  if (typeof mail === "string") return Buffer.from(mail);
  if (mail instanceof Uint8Array) return mail;
  if (typeof mail !== "object" || mail === null || !parts.some((part) => part in mail))
    throw new TypeError(
      mail instanceof Promise
        ? "expected a mail, got a promise: await it"
        : "expected a mail: its bytes, or an object with raw, or with subject, text and html",
    );
  if (!("raw" in mail)) return undefined;
  return typeof mail.raw === "string" ? Buffer.from(mail.raw) : mail.raw;
}

/** The bytes of a message, for assertions that need all of it. */
export function requireBytes(mail: AssertedMail, assertion: string): Uint8Array {
  const bytes = bytesOf(mail);
  if (bytes === undefined)
    throw new TypeError(`${assertion} needs the bytes of the mail: pass it as { raw }`);
  return bytes;
}
