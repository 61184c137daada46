import type { DeleteProgress, Mail } from "@tablekeep/mail";
import { type Command, Option } from "commander";
import { addCommand, addConfirmOption, type ConfirmFlag, collect } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, confirm } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import {
  addMailStoreOptions,
  addQueryOptions,
  findMail,
  type MailStoreFlags,
  type QueryFlags,
  searchOf,
} from "../mail/mail-flags.ts";
import { addCreateOption } from "../store/open-store.ts";
import { printSummary } from "./mail-read.ts";

interface PutFlags extends MailStoreFlags {
  readonly to: readonly string[];
  readonly from: string;
  readonly subject: string;
  readonly text: string;
}

/** `tablekeep mail put` */
export function addMailPutCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "put", {
    summary: "store a message",
    description: "Stores a message as if it had been received over SMTP. Sends nothing over the network.",
    examples: ["npx tablekeep mail put --to you@example.com --subject hello"],
  })
    .requiredOption("--to <address>", "recipient; repeatable", collect)
    .option("--from <address>", "sender", "tablekeep@example.com")
    .option("--subject <text>", "subject", "A message from tablekeep")
    .option("--text <text>", "body text", "It works.");
  addMailStoreOptions(addCreateOption(command, "the table and the data folder")).action((flags: PutFlags) =>
    put(flags, context),
  );
}

async function put(flags: PutFlags, context: CommandContext): Promise<void> {
  const { from, to, subject, text } = flags;
  checkAddress("--from", from);
  for (const address of to) checkAddress("--to", address);
  const { createTransport } = await import("nodemailer");
  // A transport that sends nothing: it only formats the message.
  const writing = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { message } = await writing.sendMail({ from, to: [...to], subject, text });
  const raw = message as Buffer;
  await using found = await findMail(flags, context.io, { canCreate: true });
  const envelope = { from, to, helo: "tablekeep" };
  await printSummary(await found.mail.store(envelope, raw, { signal: context.io.signal }), context);
}

function checkAddress(option: "--from" | "--to", address: string): void {
  if (isOneAddress(address)) return;
  const several = option === "--to" ? "; --to is repeatable" : "";
  throw new CliError(
    "CLI_VALUE_INVALID",
    `${option} must be one address without a display name, such as ann@example.org, got ${JSON.stringify(address)}${several}`,
  );
}

/** Whether a string is one bare address. A list, or an address with a name, would become one invalid recipient. */
function isOneAddress(text: string): boolean {
  const unquoted = text.replaceAll(/"[^"]*"/g, "q");
  return unquoted !== "" && !/[\p{Cc}<>]/u.test(text) && !/[\s,;"]/.test(unquoted);
}

interface DeleteFlags extends MailStoreFlags, QueryFlags, ConfirmFlag {
  readonly all?: true;
}

/** `tablekeep mail delete` */
export function addMailDeleteCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "delete", {
    summary: "delete messages",
    description:
      "Deletes messages by id, all matches of a query, or all messages. An id without a message is an error; the other messages are deleted.",
    examples: ["npx tablekeep mail delete ID --yes", "npx tablekeep mail delete --query newsletter --yes"],
  }).argument("[ids...]", "message ids");
  addQueryOptions(command, "delete all messages that match").addOption(
    new Option("--all", "delete all messages").conflicts("query"),
  );
  addMailStoreOptions(addConfirmOption(command)).action((ids: string[], flags: DeleteFlags) =>
    remove(ids, flags, context),
  );
}

async function remove(
  ids: readonly string[],
  flags: DeleteFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { all, yes } = flags;
  const search = searchOf(flags);
  const ways = [ids.length > 0, search !== undefined, all === true].filter(Boolean).length;
  if (ways === 0) throw new CliError("CLI_OPTION_MISSING", "missing selection: pass ids, --query or --all");
  if (ways > 1) throw new CliError("CLI_OPTION_CONFLICT", "pass only one of ids, --query and --all");
  const { signal } = io;
  await using found = await findMail(flags, io);
  const named = [...new Set(ids)];
  const stored = await storedOf(named, found.mail, signal);
  const missing = named.filter((id) => !stored.includes(id));
  if (missing.length === named.length && named.length > 0) throw noMessages(missing);
  const which = all
    ? "all messages"
    : search !== undefined
      ? "all messages that match"
      : counted(stored.length, "message");
  await confirm(io, yes, `This permanently deletes ${which}.`);
  const progress = new Progress(io.stderr);
  const work = { mail: found.mail, progress, signal };
  const deleting = all ? deleteAll(work) : deleteMany(search ?? stored, work);
  const deleted = await deleting.finally(() => progress.clear());
  printDone(`Deleted ${counted(deleted, "message")}.`, { deleted });
  if (missing.length > 0) throw noMessages(missing);
}

/** The ids that have a message. */
async function storedOf(ids: readonly string[], mail: Mail, signal: AbortSignal): Promise<string[]> {
  const stored: string[] = [];
  for (const id of ids) if ((await mail.summary(id, { signal })) !== undefined) stored.push(id);
  return stored;
}

function noMessages(ids: readonly string[]): CliError {
  const names = ids.map((id) => JSON.stringify(id)).join(", ");
  return new CliError("CLI_NO_MESSAGE", `no message ${names}: "tablekeep mail list" lists the messages`);
}

interface DeleteWork {
  readonly mail: Mail;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

function deleteMany(
  which: Parameters<Mail["deleteMany"]>[0],
  { mail, progress, signal }: DeleteWork,
): Promise<number> {
  return mail.deleteMany(which, {
    signal,
    onProgress: ({ found = 0, deleted }) =>
      progress.show(() =>
        deleted === 0
          ? { verb: "found", done: found, unit: "messages" }
          : { verb: "deleted", done: deleted, total: found, unit: "messages" },
      ),
  });
}

/** Also removes the items, which takes longer: this process is about to end, and there may be no other one that does it later. */
async function deleteAll({ mail, progress, signal }: DeleteWork): Promise<number> {
  const shown = (total?: number) => ({
    signal,
    onProgress: ({ deleted: done }: DeleteProgress) =>
      progress.show(() => ({ verb: "deleted", done, total, unit: "messages" })),
  });
  const deleted = await mail.deleteAll(shown());
  await mail.reclaim(shown(deleted));
  return deleted;
}
