import type { Envelope } from "@tablekeep/mail";
import { CliError } from "../frame/cli-error.ts";
import type { FileMessage } from "./file-message.ts";
import { restoreBytes } from "./mailhog-bytes.ts";

/** Whether an argument of the command line is a URL instead of a path. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** A path or URL for messages: without a password. */
export function shownSource(text: string): string {
  return isUrl(text) ? text.replace(/^(\w+:\/\/)[^/]*@/, "$1") : text;
}

/** The number of messages of one request. */
const pageSize = 25;

/** The maximum bytes of one response with several messages. A larger page is read message by message. */
const pageBytes = 32 * 1024 * 1024;

/** The maximum bytes of one response with one message: MailHog repeats its content up to four times. */
const messageBytes = 512 * 1024 * 1024;

interface Page {
  readonly total: number;
  readonly items: readonly unknown[];
}

/**
 * The messages of MailHog, or of a server with its API, oldest first. The list is read from its end, which stays in place
 * while new messages arrive.
 */
export async function* mailhogMessages(
  address: string,
  signal: AbortSignal,
): AsyncGenerator<FileMessage, void, undefined> {
  const server = serverAt(address);
  let done = 0;
  let { total } = await readPage(server, { start: 0, limit: 1, maximum: messageBytes }, signal);
  while (done < total) {
    const limit = Math.min(pageSize, total - done);
    const page = await readMessages(server, total - done - limit, limit, signal);
    const end = page.start + page.items.length;
    // Messages have arrived or have been deleted since: the page is elsewhere in the list now.
    if (page.total !== total && page.total - end > done) {
      total = page.total;
      continue;
    }
    total = page.total;
    for (const item of page.items.toReversed())
      yield await withLostBytes(server, messageOf(server.shown, item), signal);
    done = total - page.start;
    if (page.items.length === 0) return;
  }
}

interface MailhogServer {
  /** The address without a password. */
  readonly shown: string;
  readonly list: URL;
  readonly headers: Readonly<Record<string, string>>;
}

function serverAt(address: string): MailhogServer {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new CliError("CLI_VALUE_INVALID", `invalid URL ${JSON.stringify(address)}`);
  }
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  url.username = "";
  url.password = "";
  url.search = "";
  url.pathname = `${url.pathname.replace(/\/(?:api\/v[12]\/messages)?\/?$/, "")}/api/v2/messages`;
  return { shown: url.origin, list: url, headers: user === "" ? {} : { authorization } };
}

/** JSON contains only characters, with U+FFFD in place of bytes that are not UTF-8. A download has the original bytes. */
async function withLostBytes(
  { shown, list, headers }: MailhogServer,
  message: FileMessage,
  signal: AbortSignal,
): Promise<FileMessage> {
  const { id, raw } = message;
  if (id === undefined || !raw.includes("\ufffd")) return message;
  const url = new URL(list.href.replace(/v2\/messages$/, `v1/messages/${encodeURIComponent(id)}/download`));
  try {
    const answer = await fetch(url, { headers, signal });
    // Deleted since the list was read.
    if (answer.status === 404) return message;
    if (!answer.ok) throw new Error(`it returned status ${answer.status}`);
    return { ...message, raw: restoreBytes(raw, await boundedBytes(answer, messageBytes)) };
  } catch (error) {
    signal.throwIfAborted();
    throw new CliError("CLI_FILE_UNREADABLE", `cannot read ${shown}: no download of message ${id}`, error);
  }
}

/** A page; if that is too large, its last message. */
async function readMessages(server: MailhogServer, start: number, limit: number, signal: AbortSignal) {
  const page = await readPage(
    server,
    { start, limit, maximum: limit === 1 ? messageBytes : pageBytes },
    signal,
  ).catch((error: unknown) => {
    if (limit === 1 || !(error instanceof TooLarge)) throw error;
    return undefined;
  });
  if (page !== undefined) return { ...page, start };
  const last = start + limit - 1;
  return {
    ...(await readPage(server, { start: last, limit: 1, maximum: messageBytes }, signal)),
    start: last,
  };
}

/** The response exceeds its limit. */
class TooLarge extends Error {}

async function readPage(
  { shown, list, headers }: MailhogServer,
  { start, limit, maximum }: { readonly start: number; readonly limit: number; readonly maximum: number },
  signal: AbortSignal,
): Promise<Page> {
  const url = new URL(list);
  url.search = `?start=${start}&limit=${limit}`;
  let text: string;
  try {
    const answer = await fetch(url, { headers, signal });
    if (!answer.ok)
      throw new CliError("CLI_FILE_UNREADABLE", `cannot read ${shown}: it returned status ${answer.status}`);
    text = (await boundedBytes(answer, maximum)).toString("utf8");
  } catch (error) {
    if (signal.aborted || error instanceof CliError || (error instanceof TooLarge && limit > 1)) throw error;
    const reason = error instanceof TooLarge ? "a message is too large" : "no answer";
    throw new CliError("CLI_FILE_UNREADABLE", `cannot read ${shown}: ${reason}`, error);
  }
  return parsePage(shown, text);
}

async function boundedBytes(answer: Response, maximum: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > maximum) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsePage(shown: string, text: string): Page {
  try {
    const { total, items } = JSON.parse(text) as Partial<Page>;
    if (Number.isSafeInteger(total) && Array.isArray(items)) return { total: Number(total), items };
  } catch {
    // Reported below.
  }
  throw new CliError("CLI_FILE_INVALID", `${shown} does not serve MailHog's API`);
}

/** MailHog removes the last line break of a message, even after an empty line. */
function messageOf(shown: string, item: unknown): FileMessage {
  const { ID, Created, Raw } = (item ?? {}) as {
    ID?: string;
    Created?: string;
    Raw?: { From?: string; To?: string[] | null; Data?: string; Helo?: string };
  };
  const place = `${shown}, message ${ID ?? "without an id"}`;
  if (typeof Raw?.Data !== "string") throw new CliError("CLI_FILE_INVALID", `${place} has no content`);
  const envelope: Envelope = {
    from: String(Raw.From ?? ""),
    to: (Raw.To ?? []).map(String),
    helo: String(Raw.Helo ?? ""),
  };
  const created = Date.parse(String(Created));
  const source = typeof ID === "string" && ID !== "" && Number.isFinite(created) ? { id: ID, created } : {};
  return { place, raw: Buffer.from(`${Raw.Data}\r\n`), envelope, ...source };
}
