import type { ServerResponse } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "@tablekeep/core";
import type { TableUse } from "@tablekeep/engine";
import type { SmtpObserver } from "@tablekeep/mail/smtp";
import type { UseByTable } from "../backend/counted-port.ts";
import type { RequestObserver } from "../http/http-route.ts";
import { counter, histogram, type Metric, readMetric, type Sample } from "./metrics.ts";

/** Measures the requests of an HTTP listener. */
export interface HttpMetrics {
  readonly watch: RequestObserver;
  readonly metrics: readonly Metric[];
}

export function httpMetrics(clock: Clock): HttpMetrics {
  const requests = counter("tablekeep_http_requests_total", "HTTP requests answered.", [
    "part",
    "method",
    "route",
    "status",
  ]);
  const durations = histogram(
    "tablekeep_http_request_duration_seconds",
    "Duration of HTTP requests, without event streams.",
    ["part", "route"],
  );
  const streams = new Set<ServerResponse>();
  return {
    watch({ part, method, route }, response) {
      const startedAt = clock.monotonic();
      response.once("close", () => {
        // A request whose client disconnected before the response has no status.
        const status = response.headersSent ? String(response.statusCode) : "none";
        requests.count(part, method, route, status);
        if (!streams.delete(response)) durations.observe((clock.monotonic() - startedAt) / 1000, part, route);
      });
      return { onStream: () => void streams.add(response) };
    },
    metrics: [
      requests,
      durations,
      readMetric("gauge", "tablekeep_event_streams", "Open event streams.", () => streams.size),
    ],
  };
}

/** Metrics of this process. */
export interface ProcessMetrics {
  readonly metrics: readonly Metric[];
  /** Stops measuring. */
  stop(): void;
}

/** Resolution of the event loop monitor. */
const timerMs = 10;

const quantiles = [50, 99, 100] as const;

export function processMetrics(version: string, clock: Clock): ProcessMetrics {
  const startedAt = clock.monotonic();
  const delay = monitorEventLoopDelay({ resolution: timerMs });
  delay.enable();
  const lag = (): Sample[] => {
    const samples = quantiles.map((percent) => ({
      labels: { quantile: String(percent / 100) },
      // Node measures the time between two timers, and has no percentiles before the first one.
      value: delay.count === 0 ? 0 : Math.max(0, delay.percentile(percent) / 1e9 - timerMs / 1000),
    }));
    delay.reset();
    return samples;
  };
  const memory = (): Sample[] => {
    const { rss, heapUsed, external } = process.memoryUsage();
    return Object.entries({ rss, heap: heapUsed, external }).map(([kind, value]) => ({
      labels: { kind },
      value,
    }));
  };
  const info = [{ labels: { version, node: process.versions.node }, value: 1 }];
  return {
    metrics: [
      readMetric("gauge", "tablekeep_info", "Version of Tablekeep and Node; always 1.", () => info),
      readMetric(
        "gauge",
        "tablekeep_uptime_seconds",
        "Time since the start.",
        () => (clock.monotonic() - startedAt) / 1000,
      ),
      readMetric(
        "gauge",
        "tablekeep_event_loop_lag_seconds",
        "Delay of 10 ms timers since the last scrape.",
        lag,
      ),
      readMetric("gauge", "tablekeep_memory_bytes", "Memory of the process.", memory),
    ],
    stop: () => void delay.disable(),
  };
}

/** Counts what happens to the messages of an SMTP listener. */
export interface SmtpMetrics {
  readonly observer: SmtpObserver;
  readonly metrics: readonly Metric[];
}

export function smtpMetrics(): SmtpMetrics {
  const stored = counter("tablekeep_smtp_messages_total", "Messages received over SMTP and stored.", []);
  const errors = counter("tablekeep_smtp_errors_total", "Negative SMTP replies, by code.", ["code"]);
  return {
    observer: { onStored: () => stored.count(), onRejected: (code) => errors.count(String(code)) },
    metrics: [stored, errors],
  };
}

/** Requests to tables. */
export function tableMetrics(use: UseByTable): readonly Metric[] {
  const by = (read: (counts: TableUse) => number) => (): Sample[] =>
    Object.entries(use()).map(([table, counts]) => ({ labels: { table }, value: read(counts) }));
  return [
    readMetric(
      "counter",
      "tablekeep_table_requests_total",
      "Requests to a table, by stores and by clients of the DynamoDB endpoint.",
      by(({ requests }) => requests),
    ),
    readMetric(
      "counter",
      "tablekeep_table_failures_total",
      "Requests that failed, including failed conditions.",
      by(({ failures }) => failures),
    ),
    readMetric(
      "counter",
      "tablekeep_table_read_units_total",
      "Consumed read capacity, as DynamoDB reports it.",
      by(({ readUnits }) => readUnits),
    ),
    readMetric(
      "counter",
      "tablekeep_table_write_units_total",
      "Consumed write capacity, as DynamoDB reports it.",
      by(({ writeUnits }) => writeUnits),
    ),
  ];
}
