import { isTablekeepError } from "@tablekeep/core";
import type { Mail, MailSummary } from "@tablekeep/mail";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import { addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";

/** `tablekeep mail verify` */
export function addMailVerifyCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "verify", {
    summary: "check stored messages for damage",
    description:
      "Reads every message of an inbox, compares its bytes with their checksum and size, and prints every message that is corrupt. Changes nothing. Exits with 9 if there is one.",
    examples: ["npx tablekeep mail verify", "npx tablekeep mail verify --inbox shop --json"],
  });
  addMailStoreOptions(command).action((flags: MailStoreFlags) => verify(flags, context));
}

async function verify(flags: MailStoreFlags, { io, print, printNext }: CommandContext): Promise<void> {
  const { signal } = io;
  await using found = await findMail(flags, io);
  const { mail } = found;
  const progress = new Progress(io.stderr);
  const total = await mail.count({ signal });
  let messages = 0;
  let bytes = 0;
  let error = 0;
  try {
    for await (const summary of summariesOf(mail, signal)) {
      const result = await read(mail, summary.id, signal);
      // Deleted or expired since it was listed.
      if (result === undefined) continue;
      messages++;
      progress.show(() => ({ verb: "verified", done: messages, total, unit: "messages" }));
      if (typeof result === "number") {
        bytes += result;
        continue;
      }
      error++;
      const { id } = summary;
      await printNext(
        () => printable(`${"error".padEnd(8)}${"corrupt".padEnd(9)} ${id}: ${result.reason}`),
        () => ({ kind: "corrupt", severity: "error", id, subject: summary.subject, message: result.reason }),
      );
    }
  } finally {
    progress.clear();
  }
  print(`Read ${counted(messages, "message")}: ${counted(error, "error")}.`, {
    summary: { messages, bytes, error },
  });
  if (error === 0) return;
  throw new CliError(
    "CLI_MAIL_DAMAGED",
    `${counted(error, "corrupt message")}: restore from an export, or delete with "tablekeep mail delete ID"`,
  );
}

/** All messages, newest first, page by page. */
async function* summariesOf(mail: Mail, signal: AbortSignal): AsyncGenerator<MailSummary, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await mail.list({ limit: 250, cursor, signal });
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

/** The bytes of a message, or its problem, or undefined if it no longer exists. */
async function read(
  mail: Mail,
  id: string,
  signal: AbortSignal,
): Promise<number | { readonly reason: string } | undefined> {
  try {
    return (await mail.load(id, { signal }))?.raw.length;
  } catch (error) {
    if (!isTablekeepError(error) || error.kind !== "corrupt") throw error;
    const { reason = error.message } = error.details as { readonly reason?: string };
    return { reason };
  }
}
