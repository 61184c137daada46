import { type DynamoPort, isDynamoError, isTablekeepError } from "@tablekeep/core";
import { projectionTableSpec } from "@tablekeep/feed/projections";
import { snapshotTableSpec } from "@tablekeep/journal";
import { discoverJournal } from "@tablekeep/journal/tools";
import { shadowHistoryTableSpec } from "@tablekeep/shadow";
import { HttpError } from "../http/http-route.ts";
import type { TableFacts } from "./table-facts.ts";

/** Decides what this API may change. */
export interface TableRights {
  /** Throws if a table with this name may not be created. */
  checkName(name: string): void;
  /** Throws if a table is read-only here. */
  check(table: TableFacts, signal: AbortSignal): Promise<void>;
  /** Returns why a table is read-only here; undefined if it is not. */
  reason(table: TableFacts, signal: AbortSignal): Promise<string | undefined>;
}

/** Dependencies of the rights. */
export interface TableRightsOptions {
  readonly port: DynamoPort;
  /** Returns whether a table belongs to a store of this server. */
  readonly isOwn: (table: string) => boolean;
  /** Why no table may be changed. @default tables may be changed */
  readonly reasonForAll?: string;
}

/** Why, and what to do instead. */
const advice = "its items depend on each other, use the commands or the API of the store";

/** Tables of stores whose keys no other table has by chance, and their contents. */
const storeTables = [
  [snapshotTableSpec(), "snapshots"],
  [shadowHistoryTableSpec(), "the history of shadows"],
  [projectionTableSpec(), "projections"],
] as const;

/**
 * The rights to change tables. Items of a store depend on each other, so the items of every recognized store are read-only:
 * of this server's own, and of other programs in the same folder or account. Tables of mail and shadows that are not this server's
 * have keys that any table may have, and are not recognized.
 */
export function tableRights({ port, isOwn, reasonForAll }: TableRightsOptions): TableRights {
  const reasonByName = (name: string): string | undefined =>
    isOwn(name) ? `${name} belongs to a store: ${advice}` : reasonForAll;
  const rejectFor = (reason: string | undefined) => {
    if (reason !== undefined) throw new HttpError(403, reason);
  };
  const reason = async (table: TableFacts, signal: AbortSignal): Promise<string | undefined> => {
    const known = reasonByName(table.name);
    if (known !== undefined) return known;
    const content = contentByKeys(table) ?? ((await holdsJournal(port, table, signal)) ? "a journal" : "");
    return content === "" ? undefined : `${table.name} holds ${content}: ${advice}`;
  };
  return {
    checkName: (name) => rejectFor(reasonByName(name)),
    check: async (table, signal) => rejectFor(await reason(table, signal)),
    reason,
  };
}

function contentByKeys({ partition, sort }: TableFacts): string | undefined {
  return storeTables.find(
    ([{ partitionKey, sortKey }]) =>
      partitionKey.name === partition.name &&
      partitionKey.type === partition.type &&
      sortKey?.name === sort?.name &&
      sortKey?.type === sort?.type,
  )?.[1];
}

/** A table that may not be read cannot be shown, and is left to its own permissions. */
async function holdsJournal(port: DynamoPort, { name }: TableFacts, signal: AbortSignal): Promise<boolean> {
  try {
    return (await discoverJournal(port, name, { signal })) !== undefined;
  } catch (error) {
    const isDenied = isTablekeepError(error) && error.kind === "denied";
    if (isDenied || isDynamoError(error, "ResourceNotFoundException")) return false;
    throw error;
  }
}
