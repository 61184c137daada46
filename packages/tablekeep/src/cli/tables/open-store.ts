import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { DynamoPort } from "@tablekeep/core";
import { type KeyPair, readKeys } from "../access-keys.ts";
import { CliError } from "../cli-error.ts";
import type { CommandIo } from "../command-context.ts";
import type { StoreOptions } from "./store-options.ts";

/** What servers of one's own take, unless they were given keys. */
const anyKeys: KeyPair = { accessKeyId: "local", secretAccessKey: "local" };

/** A large page over a slow line takes its time. */
const deadlineMs = 60_000;

/**
 * The tables that the options name: on AWS, on an endpoint, or in a folder. A folder that another process serves is
 * reached through that process.
 */
export async function openStore(
  options: StoreOptions,
  io: CommandIo,
  { makeFolder }: { readonly makeFolder: boolean },
): Promise<DynamoPort> {
  const keys = readKeys(options, io);
  const { endpoint, region } = options;
  if (region !== undefined) {
    const { connect } = await import("@tablekeep/client");
    return connect({
      region,
      endpoint,
      credentials: keys,
      env: io.env,
      deadlineMs,
      socketTimeoutMs: deadlineMs,
    });
  }
  if (endpoint !== undefined) return connectTo(endpoint, keys ?? keysOfAws(io), deadlineMs);
  // A variable of the shell that is not set, as a rule: no reason to write into the folder that the shell is in.
  if (options.data === "") throw new CliError("CLI_VALUE_INVALID", "--data is empty: give a folder");
  return openFolder(resolve(options.data), keys, makeFolder);
}

/** With nothing but an endpoint nobody is asked for credentials: AWS's own variables count, or any will do. */
export function keysOfAws({ env }: CommandIo): KeyPair | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = env;
  if (accessKeyId === "" || secretAccessKey === "") return undefined;
  const { AWS_SESSION_TOKEN: sessionToken = "" } = env;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
}

/** A port to an endpoint. `timeMs` is what a call has, and a silent connection within it. @default the client's own */
export async function connectTo(
  endpoint: string,
  keys: KeyPair | undefined,
  timeMs?: number,
): Promise<DynamoPort> {
  const { httpPort } = await import("@tablekeep/client");
  return httpPort({ endpoint, credentials: keys ?? anyKeys, deadlineMs: timeMs, socketTimeoutMs: timeMs });
}

async function openFolder(path: string, keys: KeyPair | undefined, makeFolder: boolean): Promise<DynamoPort> {
  if (!makeFolder && !existsSync(path)) {
    throw new CliError(
      "CLI_DATA_FOLDER_MISSING",
      `there is no folder ${path}: name one with --data, or a server with --endpoint or --region`,
    );
  }
  const { isEngineError, openEngine } = await import("@tablekeep/engine");
  try {
    return await openEngine({ storage: { kind: "folder", path } });
  } catch (error) {
    const endpoint = isEngineError(error, "ENGINE_FOLDER_LOCKED") ? error.details.endpoint : undefined;
    if (endpoint === undefined) throw error;
    return connectTo(endpoint, keys, deadlineMs);
  }
}
