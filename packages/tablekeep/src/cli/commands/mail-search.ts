import type { MailSearch } from "@tablekeep/mail";
import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { addKindOption, addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";
import { printSummary } from "../mail/summary-output.ts";
import { parseWhole } from "../parse-number.ts";

interface SearchFlags extends MailStoreFlags {
  readonly kind: MailSearch["kind"];
  readonly limit: number;
}

/** `tablekeep mail search` */
export function addMailSearchCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "search", {
    summary: "find messages",
    description: "Finds messages, newest first, without regard to case.",
    examples: [
      "npx tablekeep mail search invoice",
      "npx tablekeep mail search ben@example.com --kind recipient --json",
    ],
  }).argument("<query>", "what to look for");
  addKindOption(command, "text").option(
    "--limit <number>",
    "the maximum number of results",
    parseWhole(1),
    50,
  );
  addMailStoreOptions(command).action((query: string, flags: SearchFlags) => search(query, flags, context));
}

async function search(query: string, flags: SearchFlags, context: CommandContext): Promise<void> {
  const { kind, limit } = flags;
  const { signal } = context.io;
  await using found = await findMail(flags, context.io);
  let left = limit;
  let cursor: string | undefined;
  do {
    const page = await found.mail.search({ kind, query }, { limit: Math.min(left, 250), cursor, signal });
    for (const summary of page.items) await printSummary(summary, context);
    left -= page.items.length;
    cursor = page.next;
  } while (cursor !== undefined && left > 0);
}
