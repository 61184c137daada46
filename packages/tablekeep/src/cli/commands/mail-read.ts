import type { Mail, MailMessage, MailQuery, MailSearch, MailSummary } from "@tablekeep/mail";
import { type Command, Option } from "commander";
import { decodedJson, summaryJson } from "../../server/mail/api/message-json.ts";
import { addCommand, parseInteger, parseRate } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { unserved, within } from "../frame/poll-until.ts";
import { cutTo, widthOf } from "../frame/text-output.ts";
import {
  addMailStoreOptions,
  addQueryOptions,
  findMail,
  type MailStoreFlags,
  type QueryFlags,
  searchOf,
} from "../mail/mail-flags.ts";

/** Prints one message as a line. */
export function printSummary(summary: MailSummary, { printRow }: CommandContext): Promise<void> {
  return printRow(
    (columns) => summaryText(summary, columns),
    () => summaryJson(summary),
  );
}

/** Columns that a narrow terminal keeps for the subject, and for recipients. */
const minColumns = { subject: 20, to: 10 };

/** One message as a line. On a narrow terminal the other fields are shortened, so that the subject stays visible. */
export function summaryText(summary: MailSummary, columns: number): string {
  const { id, created, envelope, headerFrom, preview } = summary;
  const time = new Date(created).toISOString();
  const to = printable(`-> ${envelope.to.join(", ")}`);
  const from = printable(headerFrom || envelope.from || "<>");
  const subject = printable(summary.subject || `(no subject) ${preview}`.trimEnd());
  const whole = [printable(id), time, `${from} ${to}`, subject].join("  ");
  if (widthOf(whole) <= columns) return whole;
  // An id is useful only as a whole.
  const left = columns - widthOf(id) - 2;
  const [head, room] =
    left < minColumns.subject ? [`${printable(id)}\n `, columns - 3] : [printable(id), left];
  // `2026-11-17T19:15:03.376Z`: month, day and minute.
  const short = time.replace(/^\d+-(\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2");
  const forTo = room - short.length - minColumns.subject - 4;
  const words = [
    head,
    ...(forTo >= -2 ? [short] : []),
    ...(forTo >= minColumns.to ? [cutTo(to, forTo)] : []),
    subject,
  ];
  return words.join("  ");
}

interface ListFlags extends MailStoreFlags, QueryFlags {
  readonly limit: number;
}

/** `tablekeep mail list` */
export function addMailListCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "list", {
    summary: "list messages, newest first",
    description:
      "Lists messages, newest first: id, time, sender and recipients, subject. A query has words, phrases in double quotes, and terms such as from:ann, subject:invoice, has:attachment, after:2026-11-16 and larger:20k; a leading - excludes a term. It ignores case.",
    examples: [
      "npx tablekeep mail list",
      "npx tablekeep mail list --query invoice --limit 5",
      "npx tablekeep mail list --query ben@example.com --kind recipient --json",
    ],
  });
  addQueryOptions(command, "only messages that match").option(
    "--limit <number>",
    "maximum number of messages",
    parseInteger(1),
    50,
  );
  addMailStoreOptions(command).action((flags: ListFlags) => list(flags, context));
}

async function list(flags: ListFlags, context: CommandContext): Promise<void> {
  const { signal } = context.io;
  const search = searchOf(flags);
  await using found = await findMail(flags, context.io);
  let left = flags.limit;
  let cursor: string | undefined;
  do {
    const options = { limit: Math.min(left, 250), cursor, signal };
    const page = await (search === undefined ? found.mail.list(options) : found.mail.search(search, options));
    for (const summary of page.items) await printSummary(summary, context);
    left -= page.items.length;
    cursor = page.next;
  } while (cursor !== undefined && left > 0);
  context.printIfNone(search === undefined ? "No messages." : "No message matches.");
}

interface GetFlags extends MailStoreFlags {
  readonly raw?: true;
}

/** `tablekeep mail get` */
export function addMailGetCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "get", {
    summary: "print one message",
    description: "Prints the main header fields, the text and the attachments of a message.",
    examples: ["npx tablekeep mail get ID", "npx tablekeep mail get ID --raw"],
  })
    .argument("<id>", "message id")
    .addOption(new Option("--raw", "print the received bytes"));
  addMailStoreOptions(command).action((id: string, flags: GetFlags) => get(id, flags, context));
}

async function get(id: string, flags: GetFlags, { io, print }: CommandContext): Promise<void> {
  const { openDecoder } = await import("@tablekeep/mail");
  await using found = await findMail(flags, io);
  const message = await found.mail.load(id, { signal: io.signal });
  if (message === undefined)
    throw new CliError(
      "CLI_NO_MESSAGE",
      `no message ${JSON.stringify(id)}: "tablekeep mail list" lists the messages`,
    );
  if (flags.raw) {
    io.stdout.write(message.raw);
    return;
  }
  const decoder = openDecoder();
  try {
    const decoded = await decoder.decode(message.raw, { signal: io.signal });
    print(messageText(message, decoded), decodedJson(message, decoded));
  } finally {
    await decoder.close();
  }
}

type Decoded = Parameters<typeof decodedJson>[1];

function messageText(
  { created, envelope }: MailMessage,
  { subject, from, text, html, attachments }: Decoded,
): string {
  const facts = [
    `From:     ${from.map(({ name, address }) => `${name} <${address}>`.trim()).join(", ") || envelope.from}`,
    `Sent to:  ${envelope.to.join(", ")}`,
    `Subject:  ${subject}`,
    `Received: ${new Date(created).toISOString()}`,
    ...attachments.map(
      ({ filename, type, content }) => `Attached: ${filename} (${type}, ${content.length} bytes)`,
    ),
  ];
  const body = (text || html).split(/\r\n|\r|\n/);
  return [...facts, "", ...body].map(printable).join("\n");
}

interface WaitFlags extends MailStoreFlags, QueryFlags {
  readonly timeout: number;
  readonly new?: true;
}

/** `tablekeep mail wait` */
export function addMailWaitCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "wait", {
    summary: "wait until a message arrives",
    description:
      "Prints the newest matching message, or waits for the first one. Exits with 3 after the timeout, and at once in a folder that no process serves.",
    examples: ["npx tablekeep mail wait", "npx tablekeep mail wait --query to:ben@example.com --timeout 5"],
  });
  addQueryOptions(command, "wait for a message that matches (default: any message)")
    .option("--timeout <seconds>", "maximum time to wait", parseRate, 30)
    .option("--new", "ignore messages that are already stored");
  addMailStoreOptions(command).action((flags: WaitFlags) => wait(flags, context));
}

async function wait(flags: WaitFlags, context: CommandContext): Promise<void> {
  const { systemClock } = await import("@tablekeep/core");
  const { timeout } = flags;
  const { signal } = context.io;
  await using found = await findMail(flags, context.io);
  const reason = unserved(found.isExclusive);
  const arrived =
    reason === undefined
      ? await found.mail.wait(searchOf(flags), {
          timeoutMs: Math.round(timeout * 1000),
          since: flags.new ? systemClock.now() : undefined,
          signal,
        })
      : flags.new
        ? undefined
        : await newest(found.mail, searchOf(flags), signal);
  if (arrived === undefined)
    throw new CliError("CLI_WAIT_TIMED_OUT", `no matching message ${reason ?? within(timeout)}`);
  await printSummary(arrived, context);
}

/** The newest stored message that matches. */
async function newest(
  mail: Mail,
  search: MailSearch | MailQuery | undefined,
  signal: AbortSignal,
): Promise<MailSummary | undefined> {
  const options = { limit: 1, signal };
  const page = await (search === undefined ? mail.list(options) : mail.search(search, options));
  return page.items[0];
}
