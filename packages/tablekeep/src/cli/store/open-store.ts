import { resolve } from "node:path";
import type { TableSpec } from "@tablekeep/client";
import { type DynamoPort, isDynamoError, isTablekeepError, wrapPort } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import { type Command, Option } from "commander";
import { CliError } from "../frame/cli-error.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { withVariable } from "../frame/help-style.ts";
import { configOption, readCommandConfig, type ServeConfig } from "../settings/serve-config.ts";
import { variableOf } from "../settings/setting.ts";
import { type SettingKey, settings } from "../settings/settings.ts";
import { failFastUntilAnswered } from "./fail-fast.ts";

/** The settings of a server that locate its data. Commands read them from the same sources as `serve`. */
const storeSettings = ["data", "endpoint", "region", "accessKeyId", "secretAccessKey"] as const;

/** The location of the tables, as far as the command line specifies it. */
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
  data: `data folder (default: ${settings.data.default})`,
  endpoint: "DynamoDB-compatible server to use instead of a folder",
  region: "use Amazon DynamoDB in this region",
  accessKeyId: "access key that signs requests",
  secretAccessKey: "secret of --access-key-id",
};

/** The option that names the data folder. */
export function dataOption(): Option {
  return storeOption("data");
}

/** An option for a setting of a server; the help shows its variable. */
function storeOption(key: (typeof storeSettings)[number]): Option {
  return withVariable(new Option(settings[key].flag, texts[key]), variableOf(key));
}

/** Adds the options for the location of the tables. */
export function addStoreOptions(command: Command): Command {
  command.optionsGroup("Where the data is:");
  for (const key of storeSettings) command.addOption(storeOption(key));
  return command.addOption(configOption());
}

/** Adds `--create` to a command that writes. */
export function addCreateOption(command: Command, what: string): Command {
  return command.option("--create", `create ${what} if missing`);
}

/** A key and its secret. */
interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Credentials that a server without keys accepts. */
const anyKeys: KeyPair = { accessKeyId: "local", secretAccessKey: "local" };

/** Long, because a large page can be slow over a slow connection. */
const deadlineMs = 60_000;

/** The tables that a command works on. */
export interface OpenStore extends AsyncDisposable {
  readonly port: DynamoPort;
  /** Their location, for messages: a folder, a region, an address. */
  readonly where: string;
  readonly config: ServeConfig;
  /** Whether only this process has the tables open: nothing else can change them meanwhile. */
  readonly isExclusive: boolean;
  /** Reports the changes that this process makes to a table; undefined if it is not the only one. */
  readonly watch?: Engine["watch"];
}

/**
 * Opens the tables that the settings name: on AWS, on an endpoint, or in a folder. A folder that another process serves is
 * reached through that process. A folder without data is an error, unless `create` is given.
 */
export async function openStore(
  flags: StoreOptions & CreateOption,
  io: CommandIo,
  { canCreate = false }: { readonly canCreate?: boolean } = {},
): Promise<OpenStore> {
  const { config: file, data: folder, endpoint: url, region: name, accessKeyId, secretAccessKey } = flags;
  const given = { config: file, data: folder, endpoint: url, region: name, accessKeyId, secretAccessKey };
  const config = await readCommandConfig(given, io);
  return openConfigured(config, io, { create: flags.create === true, canCreate });
}

/** Opens the tables that a configuration names. See {@link openStore}. */
export async function openConfigured(
  config: ServeConfig,
  io: CommandIo,
  { create = false, canCreate = false }: { readonly create?: boolean; readonly canCreate?: boolean } = {},
): Promise<OpenStore> {
  const { endpoint, region, memory } = config.settings;
  const opened = (port: DynamoPort, where: string, watch?: Engine["watch"]): OpenStore => ({
    port,
    where,
    config,
    isExclusive: watch !== undefined,
    ...(watch && { watch }),
    [Symbol.asyncDispose]: () => port.close(),
  });
  if (region !== undefined) {
    const { connect } = await import("@tablekeep/client");
    const times = { deadlineMs, socketTimeoutMs: deadlineMs };
    const port = connect({ region, endpoint, credentials: keysOf(config, false), env: io.env, ...times });
    return opened(port, `DynamoDB in ${region}`);
  }
  if (endpoint !== undefined)
    return opened(await connectTo(endpoint, keysOf(config, false) ?? keysOfAws(io), deadlineMs), endpoint);
  if (memory)
    throw new CliError(
      "CLI_OPTION_CONFLICT",
      `the data is in the memory of a server (${sourceOf(config, "memory")}): use that server with --endpoint`,
    );
  const path = await folderOf(config);
  const found = await openFolder(path, config, { create, canCreate });
  return opened(found.port, path, found.watch);
}

/** The absolute path of the data folder. Throws if it is a file; a missing folder is accepted. */
export async function folderOf({ settings: { data } }: ServeConfig): Promise<string> {
  // Usually an unset shell variable, which must not lead to writes into the current folder.
  if (data === "") throw new CliError("CLI_VALUE_INVALID", "--data is empty: pass a folder");
  const { checkFolderOption } = await import("../../server/options/option-checks.ts");
  checkFolderOption("dataFolder", data);
  return resolve(data);
}

/** The keys to sign with; one without the other is an error. Keys in the file are for the folder's own server. */
function keysOf(config: ServeConfig, ofFolder: boolean): KeyPair | undefined {
  const { sources, file } = config;
  const value = (key: SettingKey) => {
    const { value: given = "", from } = sources.get(key) ?? {};
    return ofFolder || from !== file ? String(given) : "";
  };
  const [accessKeyId, secretAccessKey] = [value("accessKeyId"), value("secretAccessKey")];
  if (accessKeyId === "" && secretAccessKey === "") return undefined;
  if (accessKeyId !== "" && secretAccessKey !== "") return { accessKeyId, secretAccessKey };
  const missing = accessKeyId === "" ? "--access-key-id" : "--secret-access-key";
  throw new CliError("CLI_OPTION_MISSING", `missing ${missing}: set both keys or neither`);
}

/** An endpoint alone needs no credentials: AWS's own variables are used, or any credentials. */
export function keysOfAws({ env }: CommandIo): KeyPair | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = env;
  if (accessKeyId === "" || secretAccessKey === "") return undefined;
  const { AWS_SESSION_TOKEN: sessionToken = "" } = env;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
}

/** A port to an endpoint. `timeMs` limits a call and the silence of its connection. @default the client's own */
export async function connectTo(
  endpoint: string,
  keys: KeyPair | undefined,
  timeMs?: number,
): Promise<DynamoPort> {
  const { httpPort } = await import("@tablekeep/client");
  return failFastUntilAnswered(
    httpPort({ endpoint, credentials: keys ?? anyKeys, deadlineMs: timeMs, socketTimeoutMs: timeMs }),
  );
}

async function openFolder(
  path: string,
  config: ServeConfig,
  { create, canCreate }: { readonly create: boolean; readonly canCreate: boolean },
): Promise<Pick<OpenStore, "port" | "watch">> {
  const { isEngineError, isEngineFolder, openEngine, readFolderAccess } = await import("@tablekeep/engine");
  const keys = keysOf(config, true);
  if (!create && !isEngineFolder(path)) {
    const advice = canCreate ? ", or create it here with --create" : "";
    throw new CliError(
      "CLI_DATA_FOLDER_MISSING",
      `no data in ${path} (${sourceOf(config, "data")}): start "tablekeep serve" there first, or set the folder with --data, TABLEKEEP_DATA or tablekeep.json, or a server with --endpoint or --region${advice}`,
    );
  }
  try {
    const engine = await openEngine({ storage: { kind: "folder", path } });
    return { port: engine, watch: engine.watch };
  } catch (error) {
    if (!isEngineError(error, "ENGINE_FOLDER_LOCKED")) throw error;
    const access = readFolderAccess(path);
    const endpoint = access?.endpoint ?? error.details.endpoint;
    if (endpoint === undefined) throw error;
    const port = await connectTo(endpoint, access ?? keys, deadlineMs);
    return { port: await servedPort(port, path) };
  }
}

/** The source of a setting, for messages: `--data`, `TABLEKEEP_DATA`, a file, `default`. */
function sourceOf({ sources }: ServeConfig, key: SettingKey): string {
  return sources.get(key)?.from ?? "default";
}

/** Ensures that a store has its table: creates it if requested, otherwise throws if it is missing. */
export async function provideTable(
  store: OpenStore,
  spec: TableSpec,
  create: boolean,
  canCreate: boolean,
): Promise<void> {
  if (create) {
    const { ensureTable } = await import("@tablekeep/client");
    await ensureTable(store.port, spec);
    return;
  }
  await requireTable(store, spec.name, canCreate);
}

/** Throws, with the location, if a table does not exist. */
export async function requireTable(store: OpenStore, table: string, canCreate = false): Promise<void> {
  if (await hasTable(store, table)) return;
  const advice = canCreate ? ", or create it with --create" : "";
  throw new CliError(
    "CLI_TABLE_MISSING",
    `table ${table} does not exist in ${store.where}: "tablekeep table list" lists the tables${advice}`,
  );
}

export async function hasTable({ port }: OpenStore, TableName: string): Promise<boolean> {
  try {
    await port.describeTable({ TableName });
    return true;
  } catch (error) {
    if (isDynamoError(error, "ResourceNotFoundException")) return false;
    throw error;
  }
}

/**
 * The port of a folder that another process serves. The user named the folder and not the address of that process: an error says
 * that the process is gone, with the same code.
 */
export async function servedPort(port: DynamoPort, folder: string): Promise<DynamoPort> {
  const { ClientError, isClientError } = await import("@tablekeep/client");
  return wrapPort(port, async (operation, input, options, next) => {
    try {
      return await next(operation, input, options);
    } catch (error) {
      if (!isTablekeepError(error) || !isClientError(error, "CLIENT_UNREACHABLE")) throw error;
      const { details, ambiguous } = error;
      const message = `the process that served ${folder} no longer answers: start "tablekeep serve" there again`;
      throw new ClientError("CLIENT_UNREACHABLE", message, details, { ambiguous, cause: error });
    }
  });
}
