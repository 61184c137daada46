import { createHash } from "node:crypto";
import { type ErrorKind, isTablekeepError, systemClock } from "@tablekeep/core";
import type { Envelope, Mail, MailSummary } from "@tablekeep/mail";
import { type Command, Option } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError, unreadableFile } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import type { FileMessage } from "../mail/file-message.ts";
import { type ImportedContent, importedContent } from "../mail/imported-content.ts";
import { addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";
import type { MboxVariant } from "../mail/mbox-format.ts";
import { type StoredContent, storedContent } from "../mail/stored-content.ts";
import { addCreateOption } from "../store/open-store.ts";
import { printSummary } from "./mail-read.ts";

function digest(raw: Uint8Array): string {
  return createHash("sha256").update(raw).digest("base64");
}

interface ImportFlags extends MailStoreFlags {
  readonly mbox: MboxVariant;
}

/** `tablekeep mail import` */
export function addMailImportCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "import", {
    summary: "store messages from files or from MailHog",
    description:
      "Stores the messages of files and folders: .eml files, Maildirs, the files of MailHog's Maildir storage, and mbox files; or all messages of a server with MailHog's API, by its URL. Messages keep the time at which they were received and, in the layout sharded, ids of an export. A message that is stored already, by its id or its content, is not stored again. A message that cannot be stored is reported, and the others are imported. Sender and recipients come from the file if it contains them, and otherwise from the From, To, Cc and Bcc fields.",
    examples: [
      "npx tablekeep mail import ./mails",
      "npx tablekeep mail import message.eml archive.mbox",
      "npx tablekeep mail import http://127.0.0.1:8025",
    ],
  })
    .argument("<sources...>", "files, folders or URLs")
    .addOption(
      new Option("--mbox <variant>", "how lines with From are quoted in mbox files")
        .choices(["mboxrd", "mboxo"])
        .default("mboxrd"),
    );
  addCreateOption(command, "the table and the data folder");
  addMailStoreOptions(command).action((paths: string[], flags: ImportFlags) =>
    importAll(paths, flags, context),
  );
}

/** Kinds of errors that stop the import: the next message would fail in the same way. */
const fatalKinds: ReadonlySet<ErrorKind> = new Set([
  "aborted",
  "closed",
  "denied",
  "throttled",
  "unavailable",
]);

async function importAll(
  paths: readonly string[],
  flags: ImportFlags,
  context: CommandContext,
): Promise<void> {
  const { io, printDone } = context;
  const { signal } = io;
  const { messagesAt } = await import("../mail/message-files.ts");
  const { isUrl, mailhogMessages, shownSource } = await import("../mail/mailhog-api.ts");
  const { access } = await import("node:fs/promises");
  // Nothing is created for a path that does not exist.
  for (const path of paths.filter((each) => !isUrl(each)))
    await access(path).catch((error: unknown) => Promise.reject(unreadableFile(path, error)));
  await using found = await findMail(flags, io, { canCreate: true });
  const imported = importedContent();
  const store = importer(found.mail, await storedContent(found.mail, signal), imported, signal);
  const count = { imported: 0, present: 0, failed: 0 };
  const progress = new Progress(io.stderr);
  const read = () => count.imported + count.present + count.failed;
  const fail = (place: string, error: unknown) => {
    progress.clear();
    if (!isTablekeepError(error) || error.ambiguous || fatalKinds.has(error.kind)) throw error;
    count.failed++;
    io.stderr.write(`${printable(`${place}: ${error.message} [${error.code}]`)}\n`);
  };
  for (const path of paths) {
    try {
      const messages = isUrl(path) ? mailhogMessages(path, signal) : messagesAt(path, flags.mbox);
      for await (const message of messages) {
        try {
          const summary = await store(message);
          if (summary === undefined) count.present++;
          else {
            count.imported++;
            progress.clear();
            await printSummary(summary, context);
          }
        } catch (error) {
          fail(message.place, error);
        }
        progress.show(() => ({ verb: "read", done: read(), unit: "messages" }));
      }
    } catch (error) {
      // It is the only source, and nothing could be read from it.
      if (paths.length === 1 && read() === 0) throw error;
      fail(shownSource(path), error);
    }
    imported.endSource();
  }
  progress.clear();
  if (read() === 0)
    throw new CliError("CLI_NO_MESSAGE", `no messages found in ${paths.map(shownSource).join(", ")}`);
  printDone(resultText(count), { ...count });
  if (count.failed > 0)
    throw new CliError(
      "CLI_IMPORT_INCOMPLETE",
      `not everything was imported: see above (${counted(count.failed, "failure")})`,
    );
}

/** Stores a message; returns undefined if it is already stored. */
type StoreMessage = (message: FileMessage) => Promise<MailSummary | undefined>;

/**
 * Messages with their own id are the same if they have the same id and time. Others are the same if their content is. Copies in one mbox file are
 * different messages, and so are other files whose bytes differ. Messages without a time, or with one in the future, are stored as new ones.
 */
function importer(
  mail: Mail,
  stored: StoredContent,
  imported: ImportedContent,
  signal: AbortSignal,
): StoreMessage {
  return async (message) => {
    const { raw, id, created, position, marks = {} } = message;
    const hasTime = created !== undefined && created >= 0 && created <= systemClock.now();
    let key = id;
    if (key === undefined || !hasTime) {
      const bytes = digest(raw);
      const { copies, isPresent } = imported.add(message, bytes, await stored.count(raw));
      if (isPresent) return undefined;
      key ??= `${bytes}#${copies}`;
    }
    const envelope = await envelopeOf(message);
    if (!hasTime) return mail.store(envelope, raw, { signal });
    return mail.importMessage({ created, key, position, ...marks }, envelope, raw, { signal });
  };
}

function resultText({ imported, present }: { readonly imported: number; readonly present: number }): string {
  return `Imported ${counted(imported, "message")}${present === 0 ? "" : `; ${present} were stored already`}.`;
}

async function envelopeOf({ envelope, raw, sender }: FileMessage): Promise<Envelope> {
  if (envelope !== undefined) return envelope;
  const { readMessageToSend } = await import("../../server/mail/send/address-fields.ts");
  const { from, to, cc, bcc } = readMessageToSend(raw);
  return { from: sender ?? from[0] ?? "", to: [...new Set([...to, ...cc, ...bcc])], helo: "tablekeep" };
}
