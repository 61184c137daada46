import { statSync } from "node:fs";
import { isIPv4 } from "node:net";
import { resolve } from "node:path";
import { type Clock, type Logger, silentLogger, systemClock } from "@tablekeep/core";
import { ServerError } from "./server-error.ts";

/** How to run a server. */
export interface ServerOptions {
  /** The folder that holds all data; made when something is stored. @default "./tablekeep-data" */
  readonly dataFolder?: string;
  /** The address to listen on. @default "127.0.0.1" */
  readonly host?: string;
  /** The port of the web page and the HTTP APIs; 0 lets the system choose. @default 8025 */
  readonly httpPort?: number;
  /** Whether `host` may be an address that other machines reach, although nobody has to sign in. @default false */
  readonly allowAnonymous?: boolean;
  /** Milliseconds that requests under way have to finish when the server stops. @default 5,000 */
  readonly stopGraceMs?: number;
  /** Where the server reports what it does. @default none */
  readonly logger?: Logger;
  /** @default the machine's own */
  readonly clock?: Clock;
  /** Stops the server when aborted. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** {@link ServerOptions} with every default filled in. */
export type ResolvedServerOptions = Readonly<Required<ServerOptions>>;

const defaults: ResolvedServerOptions = {
  dataFolder: "./tablekeep-data",
  host: "127.0.0.1",
  httpPort: 8025,
  allowAnonymous: false,
  stopGraceMs: 5_000,
  logger: silentLogger,
  clock: systemClock,
  signal: undefined,
};

/** Checks `options`, fills in the defaults and makes the folder's path absolute. */
export function resolveServerOptions(options: ServerOptions): ResolvedServerOptions {
  for (const option of Object.keys(options)) {
    if (!Object.hasOwn(defaults, option)) {
      throw invalid(option, `there is no such option; there are ${Object.keys(defaults).join(", ")}`);
    }
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const resolved: ResolvedServerOptions = { ...defaults, ...given };
  checkWholeNumber("httpPort", resolved.httpPort, 65_535);
  checkWholeNumber("stopGraceMs", resolved.stopGraceMs, 2 ** 31 - 1);
  if (resolved.host === "") throw invalid("host", "it is empty; give an address such as 127.0.0.1");
  if (resolved.dataFolder === "") throw invalid("dataFolder", "it is empty; give a folder");
  if (!resolved.allowAnonymous && !isLoopback(resolved.host)) throw hostRefused(resolved.host);
  return Object.freeze({ ...resolved, dataFolder: checkedFolder(resolved.dataFolder) });
}

/** Whether only this machine reaches `host`. A name other than localhost may mean anything, so it does not count. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function checkedFolder(given: string): string {
  const dataFolder = resolve(given);
  const found = statSync(dataFolder, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return dataFolder;
  throw new ServerError(
    "SERVER_DATA_FOLDER_INVALID",
    `${dataFolder} is not a folder: give another one with --data`,
    { dataFolder },
  );
}

function checkWholeNumber(option: string, value: unknown, maximum: number): void {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maximum) return;
  throw invalid(option, `it must be a whole number from 0 to ${maximum}`);
}

function invalid(option: string, reason: string): ServerError {
  return new ServerError("SERVER_OPTION_INVALID", `option ${option}: ${reason}`, { option, reason });
}

function hostRefused(host: string): ServerError {
  return new ServerError(
    "SERVER_HOST_REFUSED",
    `other machines may reach ${host} and would not have to sign in: add --allow-anonymous if that is what you want`,
    { host },
  );
}
