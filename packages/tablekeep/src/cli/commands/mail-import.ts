import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";
import { printSummary } from "../mail/summary-output.ts";

/** `tablekeep mail import` */
export function addMailImportCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "import", {
    summary: "store messages from files",
    description:
      "Stores the messages of .eml files, or of folders of them. Sender and recipients are those of their From, To, Cc and Bcc fields.",
    examples: ["npx tablekeep mail import ./mails", "npx tablekeep mail import message.eml"],
  }).argument("<paths...>", "files, or folders of .eml files");
  addMailStoreOptions(command).action((paths: string[], flags: MailStoreFlags) =>
    importAll(paths, flags, context),
  );
}

async function importAll(
  paths: readonly string[],
  flags: MailStoreFlags,
  context: CommandContext,
): Promise<void> {
  const { signal } = context.io;
  const { splitMessage } = await import("../sendmail/split-message.ts");
  const files = paths.flatMap(filesAt);
  await using found = await findMail(flags, context.io, { make: true });
  const { openDecoder } = await import("@tablekeep/mail");
  const decoder = openDecoder();
  try {
    for (const file of files) {
      const raw = readable(file, () => readFileSync(file));
      const { to, cc, bcc } = splitMessage(raw);
      const [sender] = (await decoder.decode(raw, { signal })).from;
      const envelope = {
        from: sender?.address ?? "",
        to: [...new Set([...to, ...cc, ...bcc])],
        helo: "tablekeep",
      };
      await printSummary(await found.mail.store(envelope, raw, { signal }), context);
    }
  } finally {
    await decoder.close();
  }
}

function filesAt(path: string): string[] {
  return readable(path, () => {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter((name) => name.endsWith(".eml"))
      .toSorted()
      .map((name) => join(path, name));
  });
}

function readable<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const { code = "failed" } = error as NodeJS.ErrnoException;
    throw new CliError("CLI_FILE_UNREADABLE", `cannot read ${path}: ${code}`, error);
  }
}
