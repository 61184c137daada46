import { openJournal, openSnapshots } from "@tablekeep/journal";
import type { Backend } from "../backend/open-backend.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { JournalConfig } from "../options/store-configs.ts";
import type { ServerPart } from "../server-part.ts";
import { journalRoutes, journalSchemas } from "./journal-routes.ts";
import type { ConfiguredJournal } from "./served-journals.ts";
import { ServedJournals } from "./served-journals.ts";

/** The journals of a server, over HTTP. */
export async function journalPart(
  backend: Backend,
  { journals, clock, logger }: ResolvedServerOptions,
): Promise<ServerPart> {
  const open: ConfiguredJournal[] = [];
  for (const config of journals) open.push(await openServed(backend, config, { clock, logger }));
  const served = new ServedJournals(open, backend, { clock, logger });
  return {
    groups: [{ routes: journalRoutes(served, backend, clock) }],
    schemas: journalSchemas,
    close: () => served.close(),
  };
}

async function openServed(
  backend: Backend,
  config: JournalConfig,
  common: Pick<ResolvedServerOptions, "clock" | "logger">,
): Promise<ConfiguredJournal> {
  const options = { ...common, ...config.journal };
  const { snapshotTable: table, journal: { journalName } = {} } = config;
  const snapshotOptions = { ...common, table, journalName: journalName || undefined };
  return {
    config,
    journal: await openJournal(backend.port, options),
    snapshots: await openSnapshots(backend.port, snapshotOptions),
  };
}
