import { unwrap } from "@tablekeep/core";
import type { DocumentValue } from "@tablekeep/shadow";
import type { Command } from "commander";
import { addCommand, collect, parseInteger } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { isJsonObject, readJsonArgument } from "../frame/json-argument.ts";
import { findTarget, onlyJournal } from "../journal/find-journal.ts";
import {
  type AkkaFlag,
  addAkkaOption,
  addJournalOptions,
  type JournalFlags,
} from "../journal/journal-flags.ts";
import { addCreateOption, type CreateOption, openStore } from "../store/open-store.ts";

interface PutFlags extends JournalFlags, AkkaFlag, CreateOption {
  readonly tag?: readonly string[];
  readonly ifVersion?: number;
}

/** `tablekeep journal put` */
export function addJournalPutCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "put", {
    summary: "append an event to an id",
    description:
      "Appends an event with a JSON payload to a persistence id. A program that writes the same id at the same time may have to recover.",
    examples: [
      `npx tablekeep journal put cart-17 '{"added":"apple"}'`,
      `npx tablekeep journal put cart-17 '{"paid":3}' --if-version 1 --tag paid`,
    ],
  })
    .argument("<id>", "persistence id")
    .argument("<payload>", "payload in JSON; - reads it from stdin")
    .option("--tag <tag>", "tag of the event; repeatable", collect)
    .option(
      "--if-version <number>",
      "fail unless this is the highest sequence number; 0 for a new id",
      parseInteger(0),
    );
  addCreateOption(command, "the table and the data folder");
  addJournalOptions(addAkkaOption(command)).action((id: string, payload: string, flags: PutFlags) =>
    put(id, payload, flags, context),
  );
}

async function put(
  id: string,
  given: string,
  flags: PutFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { openJournal } = await import("@tablekeep/journal");
  const { signal } = io;
  const payload = await readJsonArgument(given, "the payload", io);
  checkNumbers(payload);
  await using store = await openStore(flags, io, { canCreate: true });
  const { layout, journalName, sequenceShards, akka, create } = flags;
  const table = flags.table ?? (await onlyJournal(store, signal));
  const named = { table, layout, journalName, sequenceShards, akka, create };
  await using journal = await openJournal(store.port, await findTarget(store, named, signal));
  const event = { payload, ...(flags.tag && { tags: flags.tag }) };
  const expected = flags.ifVersion ?? "any";
  const { last: sequenceNr } = unwrap(await journal.append(id, event, { expected, signal }));
  printDone(`Stored event ${sequenceNr} of ${printable(id)}.`, { table, persistenceId: id, sequenceNr });
}

/** A payload is a JavaScript value, whose numbers hold about 16 digits: longer ones would be read back as other numbers. */
function checkNumbers(value: DocumentValue): void {
  if (Array.isArray(value) || isJsonObject(value)) {
    for (const each of Object.values<DocumentValue>(value)) checkNumbers(each);
    return;
  }
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return;
  throw new CliError(
    "CLI_VALUE_INVALID",
    `the payload has the number ${String(value)}, which has too many digits: pass it as a string`,
  );
}
