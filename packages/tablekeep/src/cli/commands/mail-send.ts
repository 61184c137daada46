import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";
import { printSummary } from "../mail/summary-output.ts";
import { addCreateOption } from "../tables/store-options.ts";

interface SendFlags extends MailStoreFlags {
  readonly to: readonly string[];
  readonly from: string;
  readonly subject: string;
  readonly text: string;
}

/** `tablekeep mail send` */
export function addMailSendCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "send", {
    summary: "put a message into the inbox",
    description: "Writes a message into the inbox, as if it had come by SMTP. Nothing leaves this machine.",
    examples: ["npx tablekeep mail send --to you@example.com --subject hello"],
  })
    .requiredOption("--to <address>", "a recipient; may be given several times", collect)
    .option("--from <address>", "the sender", "tablekeep@example.com")
    .option("--subject <text>", "the subject", "A message from tablekeep")
    .option("--text <text>", "the text", "It works.");
  addMailStoreOptions(addCreateOption(command, "the table, and the data folder,")).action(
    (flags: SendFlags) => send(flags, context),
  );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

async function send(flags: SendFlags, context: CommandContext): Promise<void> {
  const { from, to, subject, text } = flags;
  if ([from, ...to].some((address) => !isOneAddress(address)))
    throw new CliError(
      "CLI_VALUE_INVALID",
      "give one address such as ann@example.org, without a name; --to may be given several times",
    );
  const { createTransport } = await import("nodemailer");
  // A transport that sends nothing: it only writes the message down.
  const writing = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { message } = await writing.sendMail({ from, to: [...to], subject, text });
  const raw = message as Buffer;
  await using found = await findMail(flags, context.io, { canCreate: true });
  const envelope = { from, to, helo: "tablekeep" };
  await printSummary(await found.mail.store(envelope, raw, { signal: context.io.signal }), context);
}

/** Whether the words are one bare address: a list of them, or one with a name, would become one odd recipient. */
function isOneAddress(text: string): boolean {
  const unquoted = text.replaceAll(/"[^"]*"/g, "q");
  return unquoted !== "" && !/[\p{Cc}<>]/u.test(text) && !/[\s,;"]/.test(unquoted);
}
