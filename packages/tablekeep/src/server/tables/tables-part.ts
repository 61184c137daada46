import { metered } from "@tablekeep/client";
import type { Backend } from "../backend/open-backend.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { ServerPart } from "../server-part.ts";
import { followTable } from "./live-route.ts";
import { partiqlRoute } from "./partiql-route.ts";
import { tableRights } from "./table-rights.ts";
import { type TableUsed, tablesRoutes } from "./tables-routes.ts";
import { transferRoutes } from "./transfer-routes.ts";
import { undoRoute } from "./undo/undo-route.ts";
import { UndoLog } from "./undo/undo-steps.ts";

/** All tables of the backend over HTTP. */
export function tablesPart(
  backend: Backend,
  {
    accessKeys,
    users,
    tokens,
    clock,
    logger,
  }: Pick<ResolvedServerOptions, "accessKeys" | "users" | "tokens" | "clock" | "logger">,
): ServerPart {
  const isOpenToAll = users === undefined && tokens === undefined;
  const { port, meter } = metered(backend.port);
  const usedOf = (table: string): TableUsed => {
    const { requests = 0, failures = 0, readUnits = 0, writeUnits = 0 } = backend.use()[table] ?? {};
    const browsed = { readUnits: meter.snapshot().byTable[table]?.readUnits ?? 0 };
    return { used: { requests, failures, readUnits, writeUnits }, browsed };
  };
  const rights = tableRights({
    port,
    isOwn: (table) => backend.tables.some(({ name }) => name === table),
    // An operation that requires a key on one port must not work without one on another.
    ...(accessKeys !== undefined &&
      isOpenToAll && {
        reasonForAll:
          "tables are changed with an access key only: use an SDK, or require users with --auth-file or --token-file",
      }),
  });
  const undo = { engine: backend.engine, log: new UndoLog() };
  const routes = [
    ...tablesRoutes({ port, usedOf, rights, isLive: backend.engine !== undefined, undo }),
    ...transferRoutes(port, rights, { clock, undo }),
    followTable({ ...backend, port, clock, logger }),
    partiqlRoute(port, rights, undo),
    undoRoute(port, rights, undo),
  ];
  return { groups: [{ routes }] };
}
