import type { DynamoPort } from "@tablekeep/core";
import type { ServerOptions } from "../../server/server-options.ts";
import type { CommandIo } from "../command-context.ts";
import { connectTo, keysOfAws } from "../tables/open-store.ts";
import type { ServeSettings } from "./settings.ts";

/** What a server stands on. */
export type StorageOptions = Pick<
  ServerOptions,
  "dataFolder" | "memory" | "port" | "portName" | "createTables"
>;

/** Where the data is: a folder that the server opens, its memory, or a port that is opened here and closed by the caller. */
export async function openStorage(
  { data, memory, endpoint, region, createTables }: ServeSettings,
  io: CommandIo,
): Promise<StorageOptions> {
  if (memory) return { memory };
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
