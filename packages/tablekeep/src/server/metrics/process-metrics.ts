import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "@tablekeep/core";
import { type Metric, readMetric, type Sample } from "./metric.ts";

/** Metrics of this process. */
export interface ProcessMetrics {
  readonly metrics: readonly Metric[];
  /** Measures no longer. */
  stop(): void;
}

/** How often the loop is looked at. */
const timerMs = 10;

const quantiles = [50, 99, 100] as const;

export function processMetrics(version: string, clock: Clock): ProcessMetrics {
  const startedAt = clock.monotonic();
  const delay = monitorEventLoopDelay({ resolution: timerMs });
  delay.enable();
  const lag = (): Sample[] => {
    const samples = quantiles.map((percent) => ({
      labels: { quantile: String(percent / 100) },
      // Node counts the time between two timers, and of none yet it knows no percentiles.
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
      readMetric("gauge", "tablekeep_info", "What runs; always 1.", () => info),
      readMetric(
        "gauge",
        "tablekeep_uptime_seconds",
        "How long the server has been there.",
        () => (clock.monotonic() - startedAt) / 1000,
      ),
      readMetric(
        "gauge",
        "tablekeep_event_loop_lag_seconds",
        "How late timers of 10 ms were since the last look.",
        lag,
      ),
      readMetric("gauge", "tablekeep_memory_bytes", "Memory of the process.", memory),
    ],
    stop: () => void delay.disable(),
  };
}
