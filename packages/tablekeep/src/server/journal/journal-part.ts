import { openJournal, openSnapshots } from "@tablekeep/journal";
import type { Backend } from "../open-backend.ts";
import type { ResolvedServerOptions } from "../server-options.ts";
import type { ServerPart } from "../server-part.ts";
import { journalOpenApi } from "./journal-openapi.ts";
import { journalRoutes } from "./journal-routes.ts";
import type { JournalConfig, ServedJournal } from "./served-journal.ts";

/** The journals of a server, over HTTP. */
export async function journalPart(
  backend: Backend,
  { journals, clock, logger }: ResolvedServerOptions,
): Promise<ServerPart> {
  const open: ServedJournal[] = [];
  for (const config of journals) open.push(await openServed(backend, config, { clock, logger }));
  return {
    groups: [{ access: "users", routes: journalRoutes(open, backend, clock) }],
    openApi: journalOpenApi,
    async close() {
      for (const { snapshots } of open) await snapshots.close();
    },
  };
}

async function openServed(
  backend: Backend,
  config: JournalConfig,
  common: Pick<ResolvedServerOptions, "clock" | "logger">,
): Promise<ServedJournal> {
  const options = { ...common, ...config.journal };
  const { snapshotTable: table, journal: { journalName } = {} } = config;
  const snapshotOptions = { ...common, table, journalName: journalName || undefined };
  return {
    config,
    journal: await openJournal(backend.port, options),
    snapshots: await openSnapshots(backend.port, snapshotOptions),
  };
}
