import { metered } from "@tablekeep/client";
import type { Backend } from "../open-backend.ts";
import type { ServerPart } from "../server-part.ts";
import { tablesOpenApi } from "./tables-openapi.ts";
import { type TableUsed, tablesRoutes } from "./tables-routes.ts";

/** The tables that the stores of a server stand on, and all others beside them, over HTTP. */
export function tablesPart(backend: Backend): ServerPart {
  const { port, meter } = metered(backend.port);
  const usedOf = (table: string): TableUsed => {
    const { requests = 0, failures = 0, readUnits, writeUnits } = backend.use()[table] ?? {};
    const browsed = { readUnits: meter.snapshot().byTable[table]?.readUnits ?? 0 };
    return { used: { requests, failures, readUnits, writeUnits }, browsed };
  };
  return {
    groups: [{ access: "users", routes: tablesRoutes(port, usedOf) }],
    openApi: tablesOpenApi,
  };
}
