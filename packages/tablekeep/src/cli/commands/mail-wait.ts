import type { MailSearch } from "@tablekeep/mail";
import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { addKindOption, addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";
import { printSummary } from "../mail/summary-output.ts";
import { parseRate } from "../parse-number.ts";

interface WaitFlags extends MailStoreFlags {
  readonly kind: MailSearch["kind"];
  readonly timeout: number;
  readonly new?: true;
}

/** `tablekeep mail wait` */
export function addMailWaitCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "wait", {
    summary: "wait until a message arrives",
    description:
      "Prints the newest message that matches, or waits for the first to arrive. Exits with 3 if none does in time.",
    examples: [
      "npx tablekeep mail wait",
      "npx tablekeep mail wait ben@example.com --kind recipient --timeout 5",
    ],
  }).argument("[query]", "what to look for; any message if not given");
  addKindOption(command, "text")
    .option("--timeout <seconds>", "how long to wait at most", parseRate, 30)
    .option("--new", "only messages that arrive from now on count");
  addMailStoreOptions(command).action((query: string | undefined, flags: WaitFlags) =>
    wait(query, flags, context),
  );
}

async function wait(query: string | undefined, flags: WaitFlags, context: CommandContext): Promise<void> {
  const { systemClock } = await import("@tablekeep/core");
  const { kind, timeout } = flags;
  const { signal } = context.io;
  await using found = await findMail(flags, context.io);
  const arrived = await found.mail.wait(query === undefined ? undefined : { kind, query }, {
    timeoutMs: Math.round(timeout * 1000),
    since: flags.new ? systemClock.now() : undefined,
    signal,
  });
  if (arrived === undefined)
    throw new CliError("CLI_NO_MESSAGE", `no such message came within ${timeout} seconds`);
  await printSummary(arrived, context);
}
