import { isTablekeepError } from "@tablekeep/core";
import type { JournalOptions } from "@tablekeep/journal";
import type { MailOptions } from "@tablekeep/mail";
import { pointerTo } from "../../server/json-file.ts";
import type { JournalConfig, ShadowStoreConfig } from "../../server/options/store-configs.ts";
import { CliError } from "../frame/cli-error.ts";
import type { ConfigFile } from "./config-file.ts";

/** The stores of a configuration file. Missing sections have their defaults. */
export interface ConfiguredStores {
  readonly journals?: readonly JournalConfig[];
  readonly mail?: MailOptions;
  readonly shadows?: readonly ShadowStoreConfig[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the store sections of a file. The stores check their own options; their errors get the path of the file. */
export async function configuredStores({ path, stores }: ConfigFile): Promise<ConfiguredStores> {
  if (path === undefined) return {};
  const { journals, mail, shadows } = stores;
  return {
    ...(journals !== undefined && { journals: await named(path, "journals", journals, journalOf) }),
    ...(mail !== undefined && { mail: await checked(path, "mail", "/mail", () => mailOf(fields(mail))) }),
    ...(shadows !== undefined && { shadows: await named(path, "shadows", shadows, shadowsOf) }),
  };
}

async function journalOf({
  name,
  snapshotTable,
  projectionsTable,
  ...journal
}: Fields): Promise<JournalConfig> {
  const { journalTableSpec, snapshotTableSpec } = await import("@tablekeep/journal");
  const config = { name, journal, snapshotTable, projectionsTable } as JournalConfig;
  journalTableSpec(journal as JournalOptions);
  snapshotTableSpec(config.snapshotTable);
  if (projectionsTable !== undefined && (typeof projectionsTable !== "string" || projectionsTable === ""))
    throw new CliError("CLI_FILE_INVALID", "projectionsTable must be a non-empty string", undefined, {
      option: "projectionsTable",
    });
  return config;
}

async function mailOf(options: Fields): Promise<MailOptions> {
  const { mailTableSpec } = await import("@tablekeep/mail");
  mailTableSpec(options);
  return options;
}

async function shadowsOf({ name, policy, ...store }: Fields): Promise<ShadowStoreConfig> {
  const manager = policy === undefined ? undefined : { policy };
  return { name, store, manager } as ShadowStoreConfig;
}

/** A list of stores. Names must be unique and fit into a URL path. */
async function named<Store extends { readonly name?: string }>(
  path: string,
  section: string,
  list: unknown,
  parse: (fields: Fields) => Promise<Store>,
): Promise<readonly Store[]> {
  if (!Array.isArray(list)) throw wrong(path, section, pointerTo(section), "must be an array");
  const found: Store[] = [];
  for (const [at, entry] of list.entries()) {
    const where = `${section}[${at}]`;
    const pointer = pointerTo(section, at);
    const store = await checked(path, where, pointer, () => parse(fields(entry)));
    if (typeof store.name !== "string" || !/^[\w.-]{1,64}$/.test(store.name))
      throw wrong(
        path,
        where,
        `${pointer}/name`,
        "name must be 1 to 64 letters, digits, dots, dashes or underscores",
      );
    if (found.some(({ name }) => name === store.name))
      throw wrong(path, where, `${pointer}/name`, `duplicate name ${store.name}`);
    found.push(store);
  }
  return found;
}

function fields(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new CliError("CLI_FILE_INVALID", "must be an object");
}

async function checked<Store>(
  path: string,
  where: string,
  pointer: string,
  make: () => Promise<Store>,
): Promise<Store> {
  try {
    return await make();
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    // The stores name the option to correct in their details.
    const { option } = error.details as { readonly option?: unknown };
    const member = typeof option === "string" ? pointerTo(...option.split(".")) : "";
    throw wrong(path, where, pointer + member, error.message, error);
  }
}

function wrong(path: string, where: string, pointer: string, why: string, cause?: unknown): CliError {
  return new CliError("CLI_FILE_INVALID", `${path}: ${where}: ${why}`, cause, { path, pointer });
}
