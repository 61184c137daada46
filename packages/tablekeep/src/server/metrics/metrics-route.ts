import type { HttpRoute } from "../http/http-route.ts";
import type { Metric } from "./metric.ts";
import { metricsContentType, metricsText } from "./metrics-text.ts";

/** `/metrics`, for Prometheus. */
export function metricsRoute(metrics: readonly Metric[]): HttpRoute {
  return {
    method: "GET",
    path: "/metrics",
    handle({ response }) {
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
