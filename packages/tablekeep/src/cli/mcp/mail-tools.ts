import { isTablekeepError } from "@tablekeep/core";
import type {
  ArrivedMessage,
  Mail,
  MailMessage,
  MailPage,
  MailSummary,
  WantedMessage,
} from "@tablekeep/mail";
import { linksIn, type ReadableContent, wordsIn } from "../../message/links-and-codes.ts";
import { tokenHash } from "../../server/auth/secret-files.ts";
import { arrivedJson, decodedJson, summaryJson } from "../../server/mail/api/message-json.ts";
import { CliError } from "../frame/cli-error.ts";
import { within } from "../frame/poll-until.ts";
import { type FoundMail, findMail } from "../mail/mail-flags.ts";
import { boundedRows, boundedStrings, type Chunk, shortened, textPart } from "./bounded-rows.ts";
import { isReceivingMail } from "./served-folder.ts";
import { limitOf, schemas, type Tool, type ToolArguments, type ToolCall, textOf } from "./tool.ts";
import { type UndoEntry, writeWithCheckpoint } from "./undo-checkpoints.ts";

/** The arguments of all tools that name an inbox. */
const inboxInput = {
  inbox: schemas.text("Name of an inbox (default: the default inbox)."),
  token: schemas.text("The token of the inbox, if it has one."),
};
const inboxOptional = Object.keys(inboxInput);

/** Opens the inbox of a call. As over HTTP, an inbox with a token requires it. */
async function openMail(args: ToolArguments, { flags, io }: ToolCall): Promise<FoundMail> {
  const inbox = textOf(args, "inbox");
  const found = await findMail({ ...flags, ...(inbox !== undefined && { inbox }) }, io);
  if (found.tokenHash === undefined || tokenHash(textOf(args, "token") ?? "") === found.tokenHash)
    return found;
  await found[Symbol.asyncDispose]();
  throw new CliError("CLI_INBOX_TOKEN", `inbox ${inbox} has a token: pass it as token`);
}

/** Messages of a page, which a result contains entirely or not at all. */
const pageSize = 10;

async function* pagesOf(
  read: (page: { limit: number; cursor?: string }) => Promise<MailPage>,
  limit: number,
  start: string | undefined,
): AsyncGenerator<Chunk> {
  let cursor = start;
  for (let left = limit; left > 0; ) {
    const { items, next } = await read({ limit: Math.min(left, pageSize), cursor });
    yield { rows: items.map(summaryJson), next };
    left -= items.length;
    cursor = next;
    if (next === undefined) return;
  }
}

const listMail: Tool = {
  name: "list_mail",
  description:
    "Lists messages, newest first. position is the since of the wait tools: only messages that arrive later count. next continues.",
  input: { limit: schemas.limit, cursor: schemas.cursor, ...inboxInput },
  optional: ["limit", "cursor", ...inboxOptional],
  async run(args, call) {
    await using found = await openMail(args, call);
    const { signal } = call.io;
    const limit = limitOf(args);
    const position = await found.mail.position({ signal });
    const pages = pagesOf((page) => found.mail.list({ ...page, signal }), limit, textOf(args, "cursor"));
    const { rows, next } = await boundedRows(pages, { limit, maxBytes: call.maxBytes });
    return { messages: rows, position, ...(next !== undefined && { next }) };
  },
};

const searchMail: Tool = {
  name: "search_mail",
  description:
    'Finds messages, newest first, by words, "phrases", and terms such as from:ann, to:ben@example.com, subject:invoice, has:attachment, after:2026-11-16; a leading - excludes. next continues.',
  input: {
    query: schemas.text("The query."),
    limit: schemas.limit,
    cursor: schemas.cursor,
    ...inboxInput,
  },
  optional: ["limit", "cursor", ...inboxOptional],
  async run(args, call) {
    await using found = await openMail(args, call);
    const { signal } = call.io;
    const limit = limitOf(args);
    const query = { query: textOf(args, "query") ?? "" };
    const pages = pagesOf(
      (page) => found.mail.search(query, { ...page, signal }),
      limit,
      textOf(args, "cursor"),
    );
    const { rows, next } = await boundedRows(pages, { limit, maxBytes: call.maxBytes });
    return { messages: rows, ...(next !== undefined && { next }) };
  },
};

const getMail: Tool = {
  name: "get_mail",
  description:
    "Returns a message: addresses, text (or HTML if it has none), links and the names of attachments. A long text continues at nextOffset.",
  input: {
    id: schemas.text("Message id."),
    part: { enum: ["text", "html", "source"], description: "What to return (default: text)." },
    offset: { type: "integer", minimum: 0, description: "The nextOffset of the previous result." },
    ...inboxInput,
  },
  optional: ["part", "offset", ...inboxOptional],
  async run(args, call) {
    await using found = await openMail(args, call);
    const message = await load(found.mail, textOf(args, "id") ?? "", call);
    const part = textOf(args, "part") ?? "text";
    const offset = (args["offset"] as number | undefined) ?? 0;
    const [half, quarter] = [Math.floor(call.maxBytes / 2), Math.floor(call.maxBytes / 4)];
    if (part === "source") {
      const source = Buffer.from(message.raw).toString("latin1");
      return { ...shortSummary(summaryJson(message), quarter), source: textPart(source, offset, half) };
    }
    const decoded = await decode(message, call);
    const { text, html } = decoded;
    const {
      headers: _headers,
      text: _text,
      html: _html,
      ...facts
    } = decodedJson(message, decoded) as {
      headers: unknown;
      text: unknown;
      html: unknown;
    };
    const all = linksIn(decoded);
    const links = boundedStrings(all, quarter).slice(0, maxLinks);
    return {
      ...shortSummary(facts, quarter),
      links,
      ...(links.length < all.length && { moreLinks: all.length - links.length }),
      content: textPart(part === "html" || text === "" ? html : text, offset, half),
    };
  },
};

/** Links that get_mail lists. */
const maxLinks = 20;

/** The summary of a message, shortened if it has very many recipients. It always contains what other calls need. */
function shortSummary(summary: object, maxBytes: number): object {
  const { id, cursor } = summary as { readonly id?: string; readonly cursor?: string };
  const shown = shortened(summary, maxBytes);
  return shown === summary ? summary : { id, ...(cursor !== undefined && { cursor }), ...shown };
}

async function load(mail: Mail, id: string, { io: { signal } }: ToolCall): Promise<MailMessage> {
  const message = await mail.load(id, { signal });
  if (message === undefined) throw new CliError("CLI_NO_MESSAGE", `no message ${JSON.stringify(id)}`);
  return message;
}

async function decode(message: MailMessage, { io: { signal } }: ToolCall) {
  const { openDecoder } = await import("@tablekeep/mail");
  const decoder = openDecoder();
  try {
    return await decoder.decode(message.raw, { signal });
  } finally {
    await decoder.close();
  }
}

/** The longest wait. Clients usually end a request after a minute. */
const maxSeconds = 50;

/** The time for finding a stored message. */
const storedSeconds = 2;

/** The number of stored messages that are read before only new ones count. */
const maxStored = 50;

const waitInput = {
  to: schemas.text("Whole address of a recipient."),
  from: schemas.text("Whole address of the sender."),
  subject: schemas.text("Part of the subject, ignoring case."),
  since: {
    type: "string",
    description:
      "A position or cursor: only later messages count (default: the newest message, or the first).",
  },
  timeoutSeconds: { type: "number", minimum: 0.1, maximum: maxSeconds, description: "Default: 30." },
  ...inboxInput,
};
const waitOptional = Object.keys(waitInput);

/** A part of a message that a caller waits for. */
interface Wanted<Found> {
  readonly what: string;
  find(content: ReadableContent): Found | undefined;
}

/** Waits for a message in which `wanted` finds something; others are passed over. */
async function waitFor<Found>(
  args: ToolArguments,
  call: ToolCall,
  wanted: Wanted<Found>,
): Promise<{ readonly message: ArrivedMessage; readonly found: Found }> {
  await using opened = await openMail(args, call);
  const { mail } = opened;
  const { signal } = call.io;
  const { systemClock } = await import("@tablekeep/core");
  const seconds = (args["timeoutSeconds"] as number | undefined) ?? 30;
  // Nothing arrives in a folder that only this process has open: only stored messages count.
  const isReceiving = await isReceivingMail(call);
  const endsAt = systemClock.monotonic() + 1000 * (isReceiving ? seconds : Math.min(seconds, storedSeconds));
  const conditions = withoutUndefined({
    to: textOf(args, "to"),
    from: textOf(args, "from"),
    subject: textOf(args, "subject"),
  });
  let since = textOf(args, "since");
  let newest: string | undefined;
  const passed = new Set<string>();
  const matches = ({ id }: MailSummary) => !passed.has(id);
  for (;;) {
    const deadlineMs = Math.ceil(endsAt - systemClock.monotonic());
    const query = withoutUndefined({ ...conditions, since, matches });
    const message = deadlineMs > 0 ? await nextMessage(mail, query, { deadlineMs, signal }) : undefined;
    // The server may have stopped meanwhile.
    if (message === undefined) throw nothingCame(wanted.what, await isReceivingMail(call), seconds);
    const stored = await mail.load(message.id, { signal });
    const found = stored === undefined ? undefined : wanted.find(await decode(stored, call));
    if (found !== undefined) return { message, found };
    passed.add(message.id);
    newest ??= message.cursor;
    // Without a position, older stored messages may contain it.
    if (since !== undefined) since = message.cursor;
    else if (passed.size >= maxStored) since = newest;
  }
}

/** A request that is in flight at the end of the time has found nothing, either. */
async function nextMessage(
  mail: Mail,
  wanted: WantedMessage,
  options: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<ArrivedMessage | undefined> {
  try {
    return await mail.waitFor(wanted, options);
  } catch (error) {
    if (isTablekeepError(error) && error.code.endsWith("_DEADLINE_EXCEEDED")) return undefined;
    throw error;
  }
}

function withoutUndefined(wanted: WantedMessage): WantedMessage {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

function nothingCame(what: string, isReceiving: boolean, seconds: number): CliError {
  return new CliError(
    "CLI_NO_MESSAGE",
    isReceiving
      ? `no matching ${what} ${within(seconds)}`
      : `no matching ${what} is stored, and nothing receives mail in this folder: start "tablekeep serve"`,
  );
}

function arrived(message: ArrivedMessage, { maxBytes }: ToolCall): object {
  return shortSummary(arrivedJson(message), Math.floor(maxBytes / 2));
}

const waitForMessage: Tool = {
  name: "wait_for_message",
  description: "Waits for a message and returns its summary. get_mail returns its content.",
  input: waitInput,
  optional: waitOptional,
  timeoutMs: (maxSeconds + 5) * 1000,
  async run(args, call) {
    const { message } = await waitFor(args, call, { what: "message", find: () => true });
    return { message: arrived(message, call) };
  },
};

const waitForCode: Tool = {
  name: "wait_for_code",
  description:
    "Waits for a message with a code, such as a one-time password, and returns the first code outside links.",
  input: {
    ...waitInput,
    length: { type: "integer", minimum: 3, maximum: 16, description: "Characters of the code (default: 6)." },
    letters: {
      type: "boolean",
      description: "Whether the code has capital letters as well as digits (default: false).",
    },
  },
  optional: [...waitOptional, "length", "letters"],
  timeoutMs: (maxSeconds + 5) * 1000,
  async run(args, call) {
    const characters = args["letters"] === true ? "[A-Z0-9]" : "\\d";
    const digit = args["letters"] === true ? `(?=[A-Z]*\\d)` : "";
    const length = (args["length"] as number | undefined) ?? 6;
    const code = new RegExp(`(?<![\\w-])${digit}${characters}{${length}}(?![\\w-])`);
    const find = (content: ReadableContent) => code.exec(wordsIn(content))?.[0];
    const { message, found } = await waitFor(args, call, { what: "message with a code", find });
    return { code: found, message: arrived(message, call) };
  },
};

const waitForLink: Tool = {
  name: "wait_for_link",
  description: "Waits for a message with a link, and returns the first one.",
  input: { ...waitInput, contains: schemas.text("A part of the link, such as /confirm.") },
  optional: [...waitOptional, "contains"],
  timeoutMs: (maxSeconds + 5) * 1000,
  async run(args, call) {
    const part = textOf(args, "contains") ?? "";
    const find = (content: ReadableContent) =>
      linksIn(content).find((link) => link.length <= call.maxBytes / 8 && link.includes(part));
    const { message, found } = await waitFor(args, call, { what: "message with a link", find });
    return { link: found, message: arrived(message, call) };
  },
};

const deleteMail: Tool = {
  name: "delete_mail",
  description: "Deletes a message. undo stores it again, under a new id and with the time of the undo.",
  input: { id: schemas.text("Message id."), ...inboxInput },
  optional: inboxOptional,
  writes: true,
  async run(args, call) {
    await using found = await openMail(args, call);
    const message = await load(found.mail, textOf(args, "id") ?? "", call);
    const { signal } = call.io;
    const entry = restore(message, args, call);
    const { result, undo } = await writeWithCheckpoint(
      call.undoCheckpoints,
      entry,
      () => found.mail.deleteOne(message.id, { signal }),
      (deleted) => (deleted ? entry : undefined),
    );
    return { deleted: result, undo };
  },
};

function restore({ id, envelope, raw }: MailMessage, args: ToolArguments, call: ToolCall): UndoEntry {
  return {
    what: `delete message ${id}`,
    bytes: raw.length,
    async undo(io) {
      await using found = await openMail(args, { ...call, io });
      // A delete whose response was lost may not have happened.
      if ((await found.mail.summary(id, { signal: io.signal })) !== undefined)
        throw new CliError("CLI_MCP_CHANGED", `message ${id} is still there: nothing was restored`);
      const stored = await found.mail.store(envelope, raw, { signal: io.signal });
      return { id: stored.id };
    },
  };
}

/** Tools over mail. */
export const mailTools: readonly Tool[] = [
  listMail,
  searchMail,
  getMail,
  waitForMessage,
  waitForCode,
  waitForLink,
  deleteMail,
];
