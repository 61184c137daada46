import { systemClock } from "@tablekeep/core";
import { openBackend, servedTables } from "../src/server/backend/open-backend.ts";
import type { HttpRoute } from "../src/server/http/http-route.ts";
import { resolveServerOptions, type ServerOptions } from "../src/server/options/server-options.ts";
import { openParts } from "../src/server/server-parts.ts";
import { webGroups, webUpgrades } from "../src/server/web/web-listener.ts";

/** The routes and web sockets of the HTTP listener, from the lists that the server itself uses. */
export interface ServedEndpoints {
  readonly routes: readonly HttpRoute[];
  /** The web sockets of the HTTP listener. */
  readonly upgrades: readonly Pick<HttpRoute, "path" | "access">[];
}

/** All endpoints of a server with these options. */
export async function servedEndpoints(options: ServerOptions): Promise<ServedEndpoints> {
  const resolved = resolveServerOptions(options);
  const backend = await openBackend(resolved, servedTables(resolved));
  const parts = await openParts(backend, resolved);
  const web = {
    facts: { version: "", storage: "", listeners: [] },
    readiness: { whyNot: async () => undefined },
    metrics: [],
  };
  const groups = webGroups(parts.byName, web, { clock: systemClock, webPath: resolved.webPath });
  const upgrades = webUpgrades(parts.byName);
  await parts.close();
  await backend.close();
  return {
    routes: groups.flatMap(({ routes }) => routes),
    upgrades: upgrades.map(({ path, access }) => ({ path, access })),
  };
}

/** Every route of the HTTP listener of a server with these options. */
export async function servedRoutes(options: ServerOptions): Promise<readonly HttpRoute[]> {
  return (await servedEndpoints(options)).routes;
}
