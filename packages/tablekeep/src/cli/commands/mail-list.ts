import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";
import { printSummary } from "../mail/summary-output.ts";
import { parseWhole } from "../parse-number.ts";

interface ListFlags extends MailStoreFlags {
  readonly limit: number;
}

/** `tablekeep mail list` */
export function addMailListCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "list", {
    summary: "list messages, newest first",
    description: "Lists messages, newest first: id, time, sender and recipients, subject.",
    examples: ["npx tablekeep mail list", "npx tablekeep mail list --limit 5 --json"],
  }).option("--limit <number>", "the maximum number of messages", parseWhole(1), 50);
  addMailStoreOptions(command).action((flags: ListFlags) => list(flags, context));
}

async function list(flags: ListFlags, context: CommandContext): Promise<void> {
  const { signal } = context.io;
  await using found = await findMail(flags, context.io);
  let left = flags.limit;
  let cursor: string | undefined;
  do {
    const page = await found.mail.list({ limit: Math.min(left, 250), cursor, signal });
    for (const summary of page.items) await printSummary(summary, context);
    left -= page.items.length;
    cursor = page.next;
  } while (cursor !== undefined && left > 0);
}
