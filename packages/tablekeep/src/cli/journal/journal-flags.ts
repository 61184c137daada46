import type { JournalOptions, LayoutName } from "@tablekeep/journal";
import { type Command, Option } from "commander";
import { parseWhole } from "../parse-number.ts";
import { addStoreOptions, type CreateOption, type StoreOptions } from "../tables/store-options.ts";

/** Which journal a command works on, and where it is. */
export interface JournalFlags extends StoreOptions, CreateOption {
  readonly table?: string;
  readonly layout?: LayoutName;
  readonly journalName?: string;
  readonly sequenceShards?: number;
}

/** Adds the options that name a journal and where it is. */
export function addJournalOptions(command: Command): Command {
  command
    .option(
      "--table <name>",
      "the table of the journal (default: that of the settings, or events, or the only one found)",
    )
    .addOption(layoutOption("--layout <name>", "its layout (default: by the table's keys)"))
    .option("--journal-name <name>", 'the prefix of all keys (default: "journal"; none in the linear layout)')
    .option(
      "--sequence-shards <number>",
      "over how many items marks are spread (default: as the journal was made)",
      parseWhole(1),
    );
  return addStoreOptions(command);
}

/** Which Akka shares a journal's table. */
export interface AkkaFlag {
  readonly akka?: JournalOptions["akka"];
}

/** Adds the option that says which Akka shares the table of a journal that is written. */
export function addAkkaOption(command: Command): Command {
  return command.addOption(akkaOption("--akka <version>"));
}

export function akkaOption(flags: string): Option {
  const description =
    "the Akka that uses the journal too; 2.6 is also for later ones and Pekko (default: as the journal was made)";
  return new Option(flags, description).choices(["none", "2.5", "2.6"]);
}

export function layoutOption(flags: string, description: string): Option {
  return new Option(flags, description).choices(["bucketed", "linear", "scattered"]);
}
