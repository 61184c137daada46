import type { DynamoPort } from "@tablekeep/core";
import { type Command, Option } from "commander";
import type { ServerOptions } from "../../server/server-options.ts";
import type { CommandIo } from "../command-context.ts";
import { connectTo, keysOfAws } from "../tables/open-store.ts";

/** What the command line says about where the data is. */
export interface StorageFlags {
  readonly data: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly createTables?: boolean;
}

export function addStorageFlags(command: Command): Command {
  return command
    .option("--data <folder>", "the folder that holds all data", "./tablekeep-data")
    .addOption(
      new Option(
        "--endpoint <url>",
        "keep all data on a server that speaks DynamoDB's protocol, instead of a folder",
      ).conflicts("data"),
    )
    .addOption(
      new Option("--region <name>", "keep all data in DynamoDB on AWS, in this region").conflicts("data"),
    )
    .option("--create-tables", "make the tables that are missing there");
}

/** What a server stands on. */
export type StorageOptions = Pick<ServerOptions, "dataFolder" | "port" | "portName" | "createTables">;

/** Where the data is: a folder that the server opens, or a port that is opened here and closed by the caller. */
export async function openStorage(
  { data, endpoint, region, createTables = false }: StorageFlags,
  io: CommandIo,
): Promise<StorageOptions> {
  if (region === undefined && endpoint === undefined) return { dataFolder: data };
  const where = endpoint === undefined ? "" : ` at ${endpoint}`;
  const portName = region === undefined ? `DynamoDB${where}` : `DynamoDB in ${region}${where}`;
  return { port: await connected(endpoint, region, io), portName, createTables };
}

async function connected(
  endpoint: string | undefined,
  region: string | undefined,
  io: CommandIo,
): Promise<DynamoPort> {
  if (region === undefined) return connectTo(endpoint ?? "", keysOfAws(io));
  const { connect } = await import("@tablekeep/client");
  return connect({ region, endpoint, env: io.env });
}
