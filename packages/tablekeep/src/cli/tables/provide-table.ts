import type { TableSpec } from "@tablekeep/client";
import { isDynamoError } from "@tablekeep/core";
import { CliError } from "../cli-error.ts";
import type { OpenStore } from "./open-store.ts";

/** Makes sure that a store has its table: creates it where that is wanted, and else says where it is missing. */
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

/** Throws, with where it looked, if a table does not exist. */
export async function requireTable(store: OpenStore, table: string, canCreate = false): Promise<void> {
  if (await hasTable(store, table)) return;
  const advice = canCreate ? ", or create it with --create" : "";
  throw new CliError(
    "CLI_TABLE_MISSING",
    `there is no table ${table} in ${store.where}: "tablekeep tables list" shows the tables there${advice}`,
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
