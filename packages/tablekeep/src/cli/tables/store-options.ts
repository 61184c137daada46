import { type Command, Option } from "commander";
import { settings } from "../serve/settings.ts";

/** The settings of a server that say where its data is. Commands take them from the same places as `serve`. */
const storeSettings = ["data", "endpoint", "region", "accessKeyId", "secretAccessKey"] as const;

/** Where the tables of a command are, as far as its command line says. */
export interface StoreOptions {
  readonly config?: string;
  readonly data?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
}

/** Whether a command may create what it works on. */
export interface CreateOption {
  readonly create?: true;
}

const texts: Readonly<Record<(typeof storeSettings)[number], string>> = {
  data: `the folder that holds the tables (default: ${settings.data.usual})`,
  endpoint: "any server that speaks DynamoDB's protocol, instead of a folder",
  region: "DynamoDB on AWS, in this region",
  accessKeyId: "the key to sign requests with",
  secretAccessKey: "its secret",
};

/** Adds the options that say where the tables are. */
export function addStoreOptions(command: Command): Command {
  for (const key of storeSettings) command.addOption(new Option(settings[key].flag, texts[key]));
  return command.option(
    "--config <file>",
    "a JSON file with settings; ./tablekeep.json is read if it exists",
  );
}

/** Adds `--create` to a command that writes. */
export function addCreateOption(command: Command, what: string): Command {
  return command.option("--create", `create ${what} if it does not exist`);
}
