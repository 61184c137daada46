import { createHash } from "node:crypto";
import type { Mail } from "@tablekeep/mail";
import { readHeaders } from "@tablekeep/mail/mime";

/** Finds out which messages a store already has, by their content. */
export interface StoredContent {
  /** The number of messages with this content that the store had when it was listed. */
  count(raw: Buffer): Promise<number>;
}

/** The number of characters of a subject that are compared: lists may shorten it. */
const subjectLength = 100;

/** Lists the store once. Reads a stored message only when one with the same subject, and about the same size, is imported. */
export async function storedContent(mail: Mail, signal: AbortSignal): Promise<StoredContent> {
  /** The ids of listed messages, by subject and size. */
  const unread = new Map<string, Map<number, string[]>>();
  const known = new Map<string, number>();
  let cursor: string | undefined;
  do {
    const page = await mail.list({ limit: 250, cursor, signal });
    for (const { id, size, subject } of page.items) {
      const key = subject.slice(0, subjectLength);
      const sizes = unread.get(key) ?? new Map<number, string[]>();
      unread.set(key, sizes);
      const same = sizes.get(size);
      if (same === undefined) sizes.set(size, [id]);
      else same.push(id);
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return {
    async count(raw) {
      const subject = readHeaders(raw).find(({ name }) => name === "subject")?.value ?? "";
      const sizes = unread.get(subject.slice(0, subjectLength)) ?? new Map<number, string[]>();
      const { least, most } = possibleSizes(raw);
      const candidates: string[] = [];
      for (let size = least; size <= most && sizes.size > 0; size++) {
        candidates.push(...(sizes.get(size) ?? []));
        sizes.delete(size);
      }
      for (const id of candidates) {
        const message = await mail.load(id, { signal });
        if (message === undefined) continue;
        const content = contentOf(Buffer.from(message.raw));
        known.set(content, (known.get(content) ?? 0) + 1);
      }
      return known.get(contentOf(raw)) ?? 0;
    },
  };
}

/** The maximum difference in line ends at the end of the same message in different files. */
const maxLineEnds = 16;

/** The sizes of messages with the same content as this one. */
function possibleSizes(raw: Buffer): { readonly least: number; readonly most: number } {
  let [least, lineFeeds, quoted] = [0, 0, 0];
  for (const piece of pieces(raw)) {
    least += piece.replace(lineEnd, "\n").replace(quotedFrom, "From ").length;
    lineFeeds += piece.split("\n").length - 1;
    quoted += piece.match(quotedFrom)?.length ?? 0;
  }
  const ends = /[\r\n]*$/.exec(raw.toString("latin1", Math.max(0, raw.length - 1024)))?.[0].length ?? 0;
  return { least: least - ends, most: raw.length + lineFeeds + quoted + 2 * maxLineEnds };
}

/** A CR LF whose CR was written twice is also one line end. */
const lineEnd = /\r{1,2}\n/g;

/** A line that mbox files quote, with any number of quotes. */
const quotedFrom = /^>*From /gm;

/**
 * Identifies the content of a message, whatever file it is in: mbox files have their own line ends, end each message with one, and quote lines that
 * begin with `From `, with variants that cannot always be told apart.
 */
export function contentOf(raw: Buffer): string {
  const hash = createHash("sha256");
  /** Line ends that are hashed only once other characters follow. */
  let held = 0;
  for (const piece of pieces(raw)) {
    const text = piece.replace(lineEnd, "\n").replace(quotedFrom, "From ");
    let end = text.length;
    while (text[end - 1] === "\n") end--;
    if (end > 0) hash.update("\n".repeat(held)).update(text.slice(0, end), "latin1");
    held = text.length - end + (end > 0 ? 0 : held);
  }
  return hash.digest("base64");
}

/** The number of bytes that are compared at once. */
const pieceBytes = 1_048_576;

/** The message in pieces of whole lines. */
function* pieces(raw: Buffer): Generator<string, void, undefined> {
  for (let start = 0; start < raw.length; ) {
    const lineFeed = raw.indexOf(10, Math.min(raw.length, start + pieceBytes));
    const end = lineFeed < 0 ? raw.length : lineFeed + 1;
    yield raw.toString("latin1", start, end);
    start = end;
  }
}
