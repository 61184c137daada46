import type { Command } from "commander";
import { addCommand, parseInteger } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { addWaitOptions, pollUntil, unserved, type WaitFlags } from "../frame/poll-until.ts";
import { findJournal } from "../journal/find-journal.ts";
import { addJournalOptions, type JournalFlags } from "../journal/journal-flags.ts";
import { printEvents } from "./journal-read.ts";

interface JournalWaitFlags extends JournalFlags, WaitFlags {
  readonly from: number;
}

/** `tablekeep journal wait` */
export function addJournalWaitCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "wait", {
    summary: "wait until an id has an event",
    description:
      "Prints the first event of a persistence id at or after a sequence number, or waits for it. Exits with 3 after the timeout.",
    examples: [
      "npx tablekeep journal wait cart-17",
      "npx tablekeep journal wait cart-17 --from 3 --timeout 5",
    ],
  })
    .argument("<id>", "persistence id")
    .option("--from <number>", "first sequence number that counts", parseInteger(1), 1);
  addJournalOptions(addWaitOptions(command)).action((id: string, flags: JournalWaitFlags) =>
    wait(id, flags, context),
  );
}

async function wait(id: string, flags: JournalWaitFlags, context: CommandContext): Promise<void> {
  const { openJournalReader } = await import("@tablekeep/journal");
  const { from } = flags;
  await using found = await findJournal(flags, context.io);
  const journal = await openJournalReader(found.port, found.journal);
  const event = await pollUntil(
    {
      async find(call) {
        // With `max` a replay would end before an atomic write of several events.
        for await (const first of journal.replay(id, { from, ...call })) return first;
        return undefined;
      },
      missing: () => `no event of ${JSON.stringify(id)} from sequence number ${from} on`,
      hopeless: () => unserved(found.store.isExclusive),
      signal: context.io.signal,
    },
    flags,
  );
  await printEvents([event], context);
}
