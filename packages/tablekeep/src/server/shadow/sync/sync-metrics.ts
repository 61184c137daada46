import { type Counter, counter, type Metric, readMetric } from "../../metrics/metrics.ts";

/** The metrics of the sync. They exist even without one. */
export class SyncMetrics {
  readonly outcomes: Counter = counter(
    "tablekeep_shadow_syncs_total",
    "Syncs of shadows with the cloud: same, synced, rejected, busy, failed.",
    ["outcome"],
  );
  readonly conflicts: Counter = counter(
    "tablekeep_shadow_sync_conflicts_total",
    "Values that both the cloud and this server had changed.",
    [],
  );
  /** Returns the number of waiting shadows. */
  waiting: () => number = () => 0;

  all(): readonly Metric[] {
    const help = "Shadows that wait to be synced by this server.";
    return [
      this.outcomes,
      this.conflicts,
      readMetric("gauge", "tablekeep_shadow_sync_waiting", help, () => this.waiting()),
    ];
  }
}
