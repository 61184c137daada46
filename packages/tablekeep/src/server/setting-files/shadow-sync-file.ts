import type { CredentialProvider, Credentials } from "@tablekeep/client";
import type { ConflictRule, SyncDirection } from "@tablekeep/shadow";
import { type InvalidFile, membersOf, pointerTo, readJsonFile } from "../json-file.ts";
import { ServerError } from "../server-error.ts";

/** The shadows that are synced with a cloud, and how. */
export interface ShadowSyncConfig {
  /** The data endpoint of AWS IoT Core, or the HTTP listener of another server: `https://host`. */
  readonly endpoint: string;
  /** The region that requests are signed for. @default that in the name of AWS's endpoint, or us-east-1 */
  readonly region?: string;
  /** Keys that sign requests. @default those of the standard AWS chain */
  readonly credentials?: Credentials | CredentialProvider;
  /** Whether changes made here are sent at once; otherwise with the next read from the cloud. @default true */
  readonly realtime?: boolean;
  /** Seconds between two reads of the shadows in the cloud. @default 10 */
  readonly everySeconds?: number;
  /** Which side wins if both have changed a value. @default "cloud" */
  readonly conflicts?: ConflictRule;
  /** The first entry that matches a shadow applies; shadows without one are not synced. */
  readonly shadows: readonly SyncedShadows[];
}

/** Selects shadows. */
export interface SyncedShadows {
  /** Names of things; `*` stands for any characters. */
  readonly things: string;
  /** Names of their shadows, with `*`. @default "", the classic shadow */
  readonly shadows?: string;
  /** @default "both" */
  readonly direction?: SyncDirection;
}

const directions: readonly SyncDirection[] = ["both", "toCloud", "fromCloud"];
const rules: readonly ConflictRule[] = ["cloud", "local", "newest"];
const maxEntries = 1_000;

/** Reads a file of synced shadows. Anything unknown is an error. */
export function readShadowSyncFile(path: string): ShadowSyncConfig {
  const invalid = (reason: string, pointer?: string, cause?: unknown) => {
    const message = `cannot read the shadow sync from ${path}: ${reason}`;
    return new ServerError("SERVER_SHADOW_SYNC_INVALID", message, { path, reason, pointer }, cause);
  };
  return parseSync(readJsonFile(path, invalid), invalid);
}

/** Throws for invalid options of a sync. */
export function checkShadowSync({ credentials: _credentials, ...config }: ShadowSyncConfig): void {
  parseSync(config, (reason) => {
    const option = "shadows.sync";
    const message = `option ${option} is invalid: ${reason}`;
    return new ServerError("SERVER_OPTION_INVALID", message, { option, reason });
  });
}

function parseSync(document: unknown, invalid: InvalidFile): ShadowSyncConfig {
  const known = ["endpoint", "region", "realtime", "everySeconds", "conflicts", "shadows"];
  const { endpoint, region, realtime, everySeconds, conflicts, shadows } = membersOf(
    document,
    { where: "it", pointer: "", known },
    invalid,
  );
  if (typeof endpoint !== "string" || !isOrigin(endpoint))
    throw invalid(
      "endpoint must be an address without a path, such as https://example-ats.iot.eu-central-1.amazonaws.com",
      "/endpoint",
    );
  if (region !== undefined && (typeof region !== "string" || !/^[a-z0-9-]+$/.test(region)))
    throw invalid("region must be a region such as eu-central-1", "/region");
  if (realtime !== undefined && typeof realtime !== "boolean")
    throw invalid("realtime must be true or false", "/realtime");
  if (
    everySeconds !== undefined &&
    !(typeof everySeconds === "number" && everySeconds >= 1 && everySeconds <= 86_400)
  )
    throw invalid("everySeconds must be a number from 1 to 86400", "/everySeconds");
  if (!Array.isArray(shadows) || shadows.length === 0 || shadows.length > maxEntries)
    throw invalid(`shadows must be an array of 1 to ${maxEntries} entries`, "/shadows");
  return {
    endpoint,
    region,
    realtime,
    everySeconds,
    conflicts: oneOf(rules, conflicts, { where: "conflicts", pointer: "/conflicts" }, invalid),
    shadows: shadows.map((entry, at) => parseEntry(entry, at, invalid)),
  };
}

function parseEntry(entry: unknown, at: number, invalid: InvalidFile): SyncedShadows {
  const [where, pointer] = [`shadows[${at}]`, pointerTo("shadows", at)];
  const known = ["things", "shadows", "direction"];
  const { things, shadows, direction } = membersOf(entry, { where, pointer, known }, invalid);
  if (typeof things !== "string" || things === "")
    throw invalid(`${where}.things must be a pattern such as "lamp-*"`, `${pointer}/things`);
  if (shadows !== undefined && typeof shadows !== "string")
    throw invalid(`${where}.shadows must be a pattern such as "config" or "*"`, `${pointer}/shadows`);
  const ofDirection = { where: `${where}.direction`, pointer: `${pointer}/direction` };
  return { things, shadows, direction: oneOf(directions, direction, ofDirection, invalid) };
}

function oneOf<Value extends string>(
  allowed: readonly Value[],
  value: unknown,
  { where, pointer }: { readonly where: string; readonly pointer: string },
  invalid: InvalidFile,
): Value | undefined {
  if (value === undefined) return undefined;
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw invalid(`${where} must be one of ${allowed.join(", ")}`, pointer);
  return found;
}

function isOrigin(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, pathname, search, hash, username, password } = new URL(endpoint);
  const isHttp = protocol === "https:" || protocol === "http:";
  return isHttp && pathname === "/" && search + hash + username + password === "";
}
