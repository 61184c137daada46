import { httpListener } from "../http/http-listener.ts";
import type { HttpRoute, RouteGroup } from "../http/http-route.ts";
import { httpSignIn } from "../http/http-sign-in.ts";
import { routeRequests } from "../http/route-requests.ts";
import type { UpgradeRoute } from "../http/upgrades.ts";
import type { Listener } from "../listening/listener.ts";
import { runAsPart } from "../listening/part-context.ts";
import type { Metric } from "../metrics/metrics.ts";
import { httpMetrics } from "../metrics/server-metrics.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { ServerPart } from "../server-part.ts";
import { consoleRoutes } from "./console-routes.ts";
import { docsRoutes } from "./docs-routes.ts";
import { openApiRoute } from "./openapi-document.ts";
import type { Readiness } from "./readiness.ts";
import type { StartPageFacts } from "./start-page.ts";
import { startPageRoute } from "./start-page.ts";
import { healthRoute, metricsRoute, readyRoute, serverRoute } from "./status-routes.ts";

/** Facts about the whole server for the HTTP listener. */
export interface WebFacts {
  readonly facts: StartPageFacts;
  readonly readiness: Readiness;
  /** Metrics beside the listener's own. */
  readonly metrics: readonly Metric[];
}

/** The HTTP listener, which all parts share. */
export function webListener(
  parts: ReadonlyMap<string, ServerPart>,
  web: WebFacts,
  options: ResolvedServerOptions,
): Listener {
  const { httpHost: host, clock, logger, httpPort, users, tokens, certificate } = options;
  const isOpen = users === undefined && tokens === undefined;
  const access = { signIn: isOpen ? undefined : httpSignIn({ users, tokens }, clock) };
  const { watch, metrics } = httpMetrics(clock);
  const groups = webGroups(parts, { ...web, metrics: [...web.metrics, ...metrics] }, options);
  return httpListener({
    target: { listener: "http", host, port: httpPort, portFlag: "--http-port" },
    purpose: "console and HTTP APIs",
    certificate,
    handle: routeRequests(groups, logger, access, watch),
    upgrades: webUpgrades(parts),
    access,
    clock,
    logger,
  });
}

/** Every web socket of the server. */
export function webUpgrades(parts: ReadonlyMap<string, ServerPart>): readonly UpgradeRoute[] {
  return [...parts].flatMap(([part, { upgrades = [] }]) =>
    upgrades.map((route) => ({
      ...route,
      serve: (connection) => runAsPart(part, () => route.serve(connection)),
    })),
  );
}

/** Every route of the server. */
export function webGroups(
  parts: ReadonlyMap<string, ServerPart>,
  { facts, readiness, metrics }: WebFacts,
  { clock, webPath }: Pick<ResolvedServerOptions, "clock" | "webPath">,
): readonly RouteGroup[] {
  const server = serverRoute({ facts });
  const openApi = {
    version: facts.version,
    routes: [
      server,
      ...[...parts.values()].flatMap(({ groups = [] }) => groups.flatMap(({ routes }) => routes)),
    ],
    schemas: Object.assign({}, ...[...parts.values()].map(({ schemas = {} }) => schemas)),
    webPath,
  };
  return [
    {
      routes: [
        healthRoute(facts.version, clock),
        readyRoute(readiness),
        ...consoleRoutes(webPath),
        ...docsRoutes(webPath),
        startPageRoute(`${webPath}/about`, facts, webPath),
        openApiRoute(openApi),
        under(webPath, server),
        metricsRoute(metrics),
      ],
    },
    ...[...parts].flatMap(([part, { groups = [] }]) =>
      groups.map((group) => ({ part, ...group, routes: group.routes.map((route) => under(webPath, route)) })),
    ),
    // Only if the console has another path.
    { routes: [startPageRoute("/", facts, webPath)] },
  ];
}

/** Our own API moves with the console, which calls it. AWS's paths are fixed, because AWS's clients expect them. */
function under(webPath: string, route: HttpRoute): HttpRoute {
  return route.path.startsWith("/api/v3/") ? { ...route, path: webPath + route.path } : route;
}
