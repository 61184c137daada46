import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import type { CommandIo } from "./command-context.ts";

/** A pair of keys from the command line. */
export interface KeyOptions {
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
}

/** A pair of keys. */
export interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Adds the two options to a command. */
export function addKeyOptions(command: Command, purpose: string): Command {
  return command
    .option("--access-key-id <id>", `${purpose} (also: TABLEKEEP_ACCESS_KEY_ID)`)
    .option("--secret-access-key <secret>", "its secret (also: TABLEKEEP_SECRET_ACCESS_KEY)");
}

/** The keys of the command line, or else of the environment; one without the other is refused. */
export function readKeys(options: KeyOptions, { env }: CommandIo): KeyPair | undefined {
  const accessKeyId = options.accessKeyId ?? env["TABLEKEEP_ACCESS_KEY_ID"] ?? "";
  const secretAccessKey = options.secretAccessKey ?? env["TABLEKEEP_SECRET_ACCESS_KEY"] ?? "";
  if (accessKeyId === "" && secretAccessKey === "") return undefined;
  if (accessKeyId !== "" && secretAccessKey !== "") return { accessKeyId, secretAccessKey };
  const missing = accessKeyId === "" ? "--access-key-id" : "--secret-access-key";
  throw new CliError("CLI_OPTION_MISSING", `${missing} is missing: give both keys, or none`);
}
