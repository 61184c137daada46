import { resolve } from "node:path";
import { type Clock, type Logger, silentLogger, systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import type { AccessKeys } from "../auth/verify-signature.ts";
import type { ListenerAddress } from "../listening/listener.ts";
import { runListeners } from "../listening/run-listeners.ts";
import {
  checkAccessKeys,
  checkFolderOption,
  checkHost,
  checkWholeNumber,
  rejectUnknownOptions,
  withoutUndefined,
} from "../options/option-checks.ts";
import { commandEndpoint, dynamoDbListener, reachableUrl } from "./dynamodb-listener.ts";

/** How to run a DynamoDB endpoint. */
export interface DynamoDbOptions {
  /** The folder for the tables; created if missing. @default none: in memory, until it stops */
  readonly dataFolder?: string;
  /** The address to listen on. @default "127.0.0.1" */
  readonly host?: string;
  /** The port; 0 lets the system choose. @default 8000 */
  readonly port?: number;
  /** Secret keys by access key id; requests must be signed with one of them. @default none: any credentials are accepted */
  readonly accessKeys?: AccessKeys;
  /** Whether `host` may be a non-loopback address without `accessKeys`. @default false */
  readonly allowAnonymous?: boolean;
  /** The region in the ARNs of new tables. ARNs of any region are accepted. @default "us-east-1" */
  readonly region?: string;
  /** The account in the ARNs of new tables, twelve digits. ARNs of any account are accepted. @default "000000000000" */
  readonly accountId?: string;
  /** Milliseconds that requests in flight have to finish when it stops. @default 5,000 */
  readonly stopGraceMs?: number;
  /** Logger of the endpoint. @default none */
  readonly logger?: Logger;
  /** The clock, also for the expiry of items. @default the system clock */
  readonly clock?: Clock;
  /** Stops it when aborted. @default none */
  readonly signal?: AbortSignal;
}

/** A DynamoDB endpoint that accepts requests. */
export interface RunningDynamoDb extends AsyncDisposable {
  /** The endpoint to configure in SDKs. */
  readonly endpoint: string;
  /** The absolute path of the folder; undefined in memory. */
  readonly dataFolder: string | undefined;
  readonly listeners: readonly ListenerAddress[];
  /**
   * Finishes the requests in flight, within `stopGraceMs`, frees the port and closes the folder. May be called twice.
   *
   * @example
   * await dynamodb.stop();
   */
  stop(): Promise<void>;
}

/** Options without a default. */
type Unset = "dataFolder" | "accessKeys" | "signal";
type ResolvedDynamoDbOptions = Required<Omit<DynamoDbOptions, Unset>> & Pick<DynamoDbOptions, Unset>;

const defaults: ResolvedDynamoDbOptions = {
  dataFolder: undefined,
  host: "127.0.0.1",
  port: 8000,
  accessKeys: undefined,
  allowAnonymous: false,
  region: "us-east-1",
  accountId: "000000000000",
  stopGraceMs: 5_000,
  logger: silentLogger,
  clock: systemClock,
  signal: undefined,
};

/**
 * Starts a DynamoDB endpoint on an embedded engine, in memory or on a folder, for any AWS SDK or CLI.
 *
 * @example
 * await using dynamodb = await startDynamoDb({ port: 0 });
 * const client = new DynamoDBClient({ endpoint: dynamodb.endpoint, region: "us-east-1" });
 */
export async function startDynamoDb(options: DynamoDbOptions = {}): Promise<RunningDynamoDb> {
  const resolved = checked(options);
  const { host, port, accessKeys, clock, logger, dataFolder, region, accountId } = resolved;
  const engine = await openEngine({
    storage: dataFolder === undefined ? { kind: "memory" } : { kind: "folder", path: dataFolder },
    clock,
    region,
    accountId,
  });
  const listeners: ListenerAddress[] = [];
  const target = { listener: "dynamodb", host, port, portFlag: "--port" };
  const commands = commandEndpoint(engine, resolved);
  const open = [dynamoDbListener({ target, backend: engine, accessKeys, clock, logger })];
  if (dataFolder !== undefined) open.push(commands.listener);
  const stop = await runListeners(open, {
    ...resolved,
    onListening(address) {
      if (commands.onListening(address)) listeners.push(address);
    },
    afterStop: () => engine.close(),
  });
  const endpoint = reachableUrl(listeners[0]?.url ?? "");
  return { endpoint, dataFolder, listeners, stop, [Symbol.asyncDispose]: stop };
}

function checked(options: DynamoDbOptions): ResolvedDynamoDbOptions {
  rejectUnknownOptions(options, defaults);
  const resolved = { ...defaults, ...withoutUndefined(options) };
  checkWholeNumber("port", resolved.port, 65_535);
  checkWholeNumber("stopGraceMs", resolved.stopGraceMs, 2 ** 31 - 1);
  checkAccessKeys(resolved.accessKeys);
  checkHost(resolved.host, resolved.allowAnonymous || resolved.accessKeys !== undefined ? [] : ["dynamodb"]);
  if (resolved.dataFolder === undefined) return resolved;
  checkFolderOption("dataFolder", resolved.dataFolder);
  return { ...resolved, dataFolder: resolve(resolved.dataFolder) };
}
