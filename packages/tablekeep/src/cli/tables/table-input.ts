import { readFile, stat } from "node:fs/promises";
import { createTableInput } from "@tablekeep/client";
import type { CreateTableInput, TableDescription } from "@tablekeep/core";
import { CliError } from "../cli-error.ts";
import { createInputOf } from "./create-input.ts";
import type { WantedTable } from "./make-table.ts";
import type { TableFlags } from "./table-flags.ts";
import { settingsIn } from "./table-settings.ts";

const maxFileBytes = 64 * 1024 * 1024;

/** The table that the command line means. */
export async function wantedTable(file: string | undefined, flags: TableFlags): Promise<WantedTable> {
  const { name, partitionKey, sortKey, globalIndex, localIndex, stream, ttl: ttlAttribute } = flags;
  if (file !== undefined) {
    const wanted = await fromFile(file, name);
    return ttlAttribute === undefined ? wanted : { ...wanted, ttlAttribute };
  }
  if (name === undefined || partitionKey === undefined) {
    throw new CliError("CLI_OPTION_MISSING", "give a file, or --name and --partition-key");
  }
  const input = createTableInput({
    name,
    partitionKey,
    ...(sortKey && { sortKey }),
    ...(globalIndex && { globalIndexes: globalIndex }),
    ...(localIndex && { localIndexes: localIndex }),
    ...(stream && { stream }),
  });
  return { input, ttlAttribute };
}

/** A CreateTable request as it stands, or what describes a table: the answer to DescribeTable, or a dump. */
async function fromFile(file: string, name: string | undefined): Promise<WantedTable> {
  const json = await readJson(file);
  const described = json["TableDescription"] ?? json["Table"];
  if (isObject(described)) {
    const settings = settingsIn(json, file);
    const { ttlAttribute } = settings;
    return { input: createInputOf(described as TableDescription, settings, name), ttlAttribute };
  }
  if (json["TableStatus"] !== undefined) return { input: createInputOf(json as TableDescription, {}, name) };
  if (json["KeySchema"] === undefined) {
    throw new CliError(
      "CLI_FILE_INVALID",
      `${file} has no KeySchema: give a CreateTable request or a description`,
    );
  }
  const input = json as unknown as CreateTableInput;
  return { input: name === undefined ? input : { ...input, TableName: name } };
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    if ((await stat(file)).size > maxFileBytes) {
      throw new CliError("CLI_FILE_INVALID", `${file} is longer than 64 MB: use load for a dump`);
    }
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError("CLI_FILE_UNREADABLE", `cannot read ${file}: ${code ?? message}`, error);
  }
  try {
    const json: unknown = JSON.parse(text);
    if (isObject(json)) return json;
  } catch (error) {
    throw new CliError("CLI_FILE_INVALID", `${file} is not JSON`, error);
  }
  throw new CliError("CLI_FILE_INVALID", `${file} must hold one JSON object`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
