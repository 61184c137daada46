import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";

/** `tablekeep mail export` */
export function addMailExportCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "export", {
    summary: "write messages to files",
    description: "Writes every message to a file ID.eml in a folder, with the received bytes.",
    examples: ["npx tablekeep mail export ./mails"],
  }).argument("<folder>", "output folder; created if missing");
  addMailStoreOptions(command).action((folder: string, flags: MailStoreFlags) =>
    exportAll(folder, flags, context),
  );
}

async function exportAll(
  folder: string,
  flags: MailStoreFlags,
  { io, print }: CommandContext,
): Promise<void> {
  const { signal } = io;
  await using found = await findMail(flags, io);
  let written = 0;
  let cursor: string | undefined;
  do {
    const page = await found.mail.list({ limit: 100, cursor, signal });
    for await (const { id, raw } of found.mail.loadEach(page.items, { signal })) {
      writeMessage(folder, id, raw);
      written++;
    }
    cursor = page.next;
  } while (cursor !== undefined);
  print(`Wrote ${written} messages to ${folder}.`, { folder, written });
}

/** Ids of other layouts contain characters that file names must not contain. */
function writeMessage(folder: string, id: string, raw: Uint8Array): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, `${id.replace(/[^\w@=-]/g, "_")}.eml`), raw, { mode: 0o600 });
  } catch (error) {
    const { code = "failed" } = error as NodeJS.ErrnoException;
    throw new CliError("CLI_OUTPUT_FAILED", `cannot write to ${folder}: ${code}`, error);
  }
}
