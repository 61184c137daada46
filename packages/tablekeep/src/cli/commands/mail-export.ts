import { isTablekeepError } from "@tablekeep/core";
import type { Mail, MailMessage, MailQuery, MailSearch } from "@tablekeep/mail";
import { type Command, Option } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import {
  addMailStoreOptions,
  addQueryOptions,
  findMail,
  type MailStoreFlags,
  type QueryFlags,
  searchOf,
} from "../mail/mail-flags.ts";
import { type ExportFormat, exportFormats } from "../mail/message-writers.ts";

interface ExportFlags extends MailStoreFlags, QueryFlags {
  readonly format: ExportFormat;
  readonly output?: string;
}

/** `tablekeep mail export` */
export function addMailExportCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "export", {
    summary: "write messages to files",
    description:
      "Writes all messages, or those that match a query, with the received bytes to files ID.eml in a folder, to a Maildir, to files of MailHog's Maildir storage, or to one mbox file or stdout. A corrupt message is reported, and the others are written.",
    examples: [
      "npx tablekeep mail export -o ./mails",
      "npx tablekeep mail export -o archive.mbox --format mboxrd",
      "npx tablekeep mail export --query from:shop -o ./shop",
    ],
  })
    .option(
      "-o, --output <path>",
      "output folder, created if missing, or mbox file (default: stdout, for mbox formats)",
    )
    .addOption(new Option("--format <format>", "format of the output").choices(exportFormats).default("eml"));
  addQueryOptions(command, "only messages that match");
  addMailStoreOptions(command).action((flags: ExportFlags) => exportMessages(flags, context));
}

async function exportMessages(flags: ExportFlags, { io, printDone }: CommandContext): Promise<void> {
  const { signal } = io;
  const { isMbox, openWriter } = await import("../mail/message-writers.ts");
  const { format, output } = flags;
  if (output === undefined && !isMbox(format))
    throw new CliError(
      "CLI_OPTION_MISSING",
      `missing --output: format ${format} writes a folder of files; mboxrd and mboxo can be written to stdout`,
    );
  const search = searchOf(flags);
  await using found = await findMail(flags, io);
  const progress = new Progress(io.stderr);
  const writer = await openWriter(output ?? io.stdout, format);
  const count = { written: 0, failed: 0 };
  const report = (message: string) => {
    count.failed++;
    progress.clear();
    io.stderr.write(`${printable(message)}\n`);
  };
  try {
    const onListed = (done: number) => progress.show(() => ({ verb: "listed", done, unit: "messages" }));
    const ids = await oldestFirst(found.mail, search, onListed, signal);
    for (const id of ids) {
      const message = await loadIntact(found.mail, id, signal, report);
      // Corrupt, or deleted or expired since it was listed.
      if (message === undefined) continue;
      await writer.write(message);
      count.written++;
      progress.show(() => ({ verb: "wrote", done: count.written, total: ids.length, unit: "messages" }));
    }
    await writer.end();
  } catch (error) {
    await writer.abandon();
    throw error;
  } finally {
    progress.clear();
  }
  if (output !== undefined)
    printDone(`Wrote ${counted(count.written, "message")} to ${output}.`, { output, ...count });
  if (count.failed > 0)
    throw new CliError(
      "CLI_EXPORT_INCOMPLETE",
      `not everything was exported: see above (${counted(count.failed, "corrupt message")})`,
    );
}

/** Loads a message; reports a corrupt one and returns undefined. */
async function loadIntact(
  mail: Mail,
  id: string,
  signal: AbortSignal,
  report: (message: string) => void,
): Promise<MailMessage | undefined> {
  try {
    return await mail.load(id, { signal });
  } catch (error) {
    if (!isTablekeepError(error) || error.kind !== "corrupt") throw error;
    report(`${error.message} [${error.code}]`);
    return undefined;
  }
}

/** The ids of all messages, or of the matching ones. Only ids are kept in memory. */
async function oldestFirst(
  mail: Mail,
  search: MailSearch | MailQuery | undefined,
  onListed: (count: number) => void,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const options = { limit: 250, cursor, signal };
    const page = await (search === undefined ? mail.list(options) : mail.search(search, options));
    for (const { id } of page.items) ids.push(id);
    onListed(ids.length);
    cursor = page.next;
  } while (cursor !== undefined);
  return ids.reverse();
}
