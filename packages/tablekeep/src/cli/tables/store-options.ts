import { type Command, Option } from "commander";
import { addKeyOptions, type KeyOptions } from "../access-keys.ts";

/** Where the tables of a command are. */
export interface StoreOptions extends KeyOptions {
  readonly data: string;
  readonly endpoint?: string;
  readonly region?: string;
}

/** Adds the options that say where the tables are. */
export function addStoreOptions(command: Command): Command {
  command
    .option("--data <folder>", "the folder that holds the tables", "./tablekeep-data")
    .addOption(
      new Option(
        "--endpoint <url>",
        "any server that speaks DynamoDB's protocol, instead of a folder",
      ).conflicts("data"),
    )
    .addOption(new Option("--region <name>", "DynamoDB on AWS, in this region").conflicts("data"));
  return addKeyOptions(command, "the key to sign with");
}
