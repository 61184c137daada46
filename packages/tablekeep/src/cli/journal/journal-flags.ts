import type { LayoutName } from "@tablekeep/journal";
import { type Command, Option } from "commander";
import { parseWhole } from "../parse-number.ts";
import { addStoreOptions, type StoreOptions } from "../tables/store-options.ts";

/** Which journal a command works on, and where it is. */
export interface JournalFlags extends StoreOptions {
  readonly table: string;
  readonly layout?: LayoutName;
  readonly journalName?: string;
  readonly sequenceShards?: number;
}

/** Adds the options that name a journal and where it is. */
export function addJournalOptions(command: Command): Command {
  command
    .option("--table <name>", "the table of the journal", "events")
    .addOption(layoutOption("--layout <name>", "how events lie in it; by the table's keys if not given"))
    .option("--journal-name <name>", 'the beginning of all keys: "journal", in the linear layout none')
    .option(
      "--sequence-shards <number>",
      "over how many items marks are spread; as the journal was made if not given",
      parseWhole(1),
    );
  return addStoreOptions(command);
}

export function layoutOption(flags: string, description: string): Option {
  return new Option(flags, description).choices(["bucketed", "linear", "scattered"]);
}
