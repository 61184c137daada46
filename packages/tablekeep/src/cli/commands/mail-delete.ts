import type { MailSearch } from "@tablekeep/mail";
import { type Command, Option } from "commander";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { confirm } from "../confirm.ts";
import { addKindOption, addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";

interface DeleteFlags extends MailStoreFlags {
  readonly kind: MailSearch["kind"];
  readonly query?: string;
  readonly all?: true;
  readonly yes?: true;
}

/** `tablekeep mail delete` */
export function addMailDeleteCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "delete", {
    summary: "delete messages",
    description: "Deletes messages by their ids, those that match, or all.",
    examples: ["npx tablekeep mail delete ID", "npx tablekeep mail delete --query newsletter --yes"],
  })
    .argument("[ids...]", "the ids of messages")
    .addOption(new Option("--query <text>", "all that match").conflicts("all"));
  addKindOption(command, "text").option("--all", "all of them").option("--yes", "do not ask");
  addMailStoreOptions(command).action((ids: string[], flags: DeleteFlags) => remove(ids, flags, context));
}

async function remove(
  ids: readonly string[],
  flags: DeleteFlags,
  { io, print }: CommandContext,
): Promise<void> {
  const { kind, query, all, yes } = flags;
  const ways = [ids.length > 0, query !== undefined, all === true].filter(Boolean).length;
  if (ways !== 1) throw new CliError("CLI_OPTION_MISSING", "say which: ids, --query or --all");
  const { signal } = io;
  await using found = await findMail(flags, io);
  if (ids.length === 0)
    await confirm(io, yes, `This deletes ${all ? "all messages" : "all messages that match"}, for good.`);
  const deleted = all
    ? await found.mail.deleteAll({ signal })
    : await found.mail.deleteMany(query === undefined ? ids : { kind, query }, { signal });
  print(`Deleted ${deleted} messages.`, { deleted });
}
