import type { MailMessage } from "@tablekeep/mail";
import { type Command, Option } from "commander";
import { decodedJson } from "../../server/mail/api/message-json.ts";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";
import { printable } from "../printable.ts";

interface ShowFlags extends MailStoreFlags {
  readonly raw?: true;
}

/** `tablekeep mail show` */
export function addMailShowCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "show", {
    summary: "print one message",
    description: "Prints a message as people read it: its main fields, its text, and what is attached.",
    examples: ["npx tablekeep mail show ID", "npx tablekeep mail show ID --raw"],
  })
    .argument("<id>", "the id of the message")
    .addOption(new Option("--raw", "print the bytes as they were received"));
  addMailStoreOptions(command).action((id: string, flags: ShowFlags) => show(id, flags, context));
}

async function show(id: string, flags: ShowFlags, { io, print }: CommandContext): Promise<void> {
  const { openDecoder } = await import("@tablekeep/mail");
  await using found = await findMail(flags, io);
  const message = await found.mail.load(id, { signal: io.signal });
  if (message === undefined)
    throw new CliError("CLI_NO_MESSAGE", `there is no message ${JSON.stringify(id)}`);
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
