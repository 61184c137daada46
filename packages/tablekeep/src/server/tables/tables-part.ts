import { metered } from "@tablekeep/client";
import type { Backend } from "../open-backend.ts";
import type { ServerPart } from "../server-part.ts";
import { tablesOpenApi } from "./tables-openapi.ts";
import { tablesRoutes, type UsedCapacity } from "./tables-routes.ts";

const nothing: UsedCapacity = { requests: 0, readUnits: 0, writeUnits: 0 };

/** The tables that the stores of a server stand on, and all others beside them, over HTTP. */
export function tablesPart(backend: Backend): ServerPart {
  const { port, meter } = metered(backend.port);
  const usedBy = (table: string): UsedCapacity => {
    const { requests, readUnits, writeUnits } = meter.snapshot().byTable[table] ?? nothing;
    return { requests, readUnits, writeUnits };
  };
  return {
    groups: [{ access: "users", routes: tablesRoutes(port, usedBy) }],
    openApi: tablesOpenApi,
  };
}
