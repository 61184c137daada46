import type { ServerResponse } from "node:http";
import type { Clock } from "@tablekeep/core";
import type { RequestWatch } from "../http/request-watch.ts";
import { counter } from "./counter.ts";
import { histogram } from "./histogram.ts";
import { type Metric, readMetric } from "./metric.ts";

/** Watches the requests of an HTTP listener, and what it has seen. */
export interface HttpMetrics {
  readonly watch: RequestWatch;
  readonly metrics: readonly Metric[];
}

export function httpMetrics(clock: Clock): HttpMetrics {
  const requests = counter("tablekeep_http_requests_total", "HTTP requests that were answered.", [
    "part",
    "method",
    "route",
    "status",
  ]);
  const durations = histogram(
    "tablekeep_http_request_duration_seconds",
    "How long answers took, streams aside.",
    ["part", "route"],
  );
  const streams = new Set<ServerResponse>();
  return {
    watch({ part, method, route }, response) {
      const startedAt = clock.monotonic();
      response.once("close", () => {
        // A client that has gone before it was answered has no status.
        const status = response.headersSent ? String(response.statusCode) : "none";
        requests.count(part, method, route, status);
        if (!streams.delete(response)) durations.observe((clock.monotonic() - startedAt) / 1000, part, route);
      });
      return { onStream: () => void streams.add(response) };
    },
    metrics: [
      requests,
      durations,
      readMetric(
        "gauge",
        "tablekeep_event_streams",
        "Clients that listen to a stream of events.",
        () => streams.size,
      ),
    ],
  };
}
