import type { Clock } from "@tablekeep/core";
import type { HttpRoute } from "../http/http-route.ts";
import { jsonAnswer, listOf, objectOf, text } from "../http/openapi.ts";
import { sendJson } from "../http/responses.ts";
import { type Metric, metricsContentType, metricsText } from "../metrics/metrics.ts";
import type { Readiness } from "./readiness.ts";
import type { StartPageFacts } from "./start-page.ts";

/** `/healthz`: responds as long as the process can respond at all. */
export function healthRoute(version: string, clock: Clock): HttpRoute {
  const startedAt = clock.monotonic();
  return {
    method: "GET",
    path: "/healthz",
    access: "anybody",
    handle({ response }) {
      const uptimeSeconds = Math.round((clock.monotonic() - startedAt) / 1000);
      sendJson(response, 200, { status: "ok", version, uptimeSeconds });
    },
  };
}

/** `/api/v3/server`: version, listeners and location of the data. `facts` is read at each request, when all listeners have started. */
export function serverRoute({ facts }: { readonly facts: StartPageFacts }): HttpRoute {
  return {
    method: "GET",
    path: "/api/v3/server",
    access: "users",
    describe: {
      operationId: "getServer",
      summary: "The version of the server, its listeners, and where its data is.",
      tags: ["server"],
      responses: {
        200: jsonAnswer(
          "The server. storage is a folder, `in memory`, or the name of an endpoint.",
          objectOf({
            version: text,
            storage: text,
            listeners: listOf(objectOf({ name: text, purpose: text, url: text })),
          }),
        ),
      },
    },
    handle({ response }) {
      const { version, storage, listeners } = facts;
      sendJson(response, 200, {
        version,
        storage,
        listeners: listeners.map(({ name, purpose, url }) => ({ name, purpose, url })),
      });
    },
  };
}

/** `/readyz`: 200 if the server is ready, 503 with the reason if not. Failing background work is named, but does not make the server unready. */
export function readyRoute(readiness: Readiness): HttpRoute {
  return {
    method: "GET",
    path: "/readyz",
    access: "anybody",
    async handle({ response }) {
      const reason = await readiness.whyNot();
      const failing = readiness.failing?.() ?? [];
      if (reason === undefined)
        sendJson(response, 200, { status: "ready", ...(failing.length > 0 && { failing }) });
      else sendJson(response, 503, { status: "not ready", ...reason });
    },
  };
}

/** `/metrics`, for Prometheus. */
export function metricsRoute(metrics: readonly Metric[]): HttpRoute {
  return {
    method: "GET",
    path: "/metrics",
    access: "users",
    async handle({ response }) {
      await Promise.all(metrics.map(async (metric) => metric.refresh?.()));
      const text = metricsText(metrics);
      response.writeHead(200, {
        "content-type": metricsContentType,
        "content-length": Buffer.byteLength(text),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
      response.end(text);
    },
  };
}
