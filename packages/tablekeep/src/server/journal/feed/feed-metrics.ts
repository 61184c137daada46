import type { FeedStatus } from "@tablekeep/feed";
import { feedTotals } from "../../../json/feed-json.ts";
import { type Metric, readMetric, type Sample } from "../../metrics/metrics.ts";
import type { SequencerState } from "./feed-sequencer.ts";

/** A feed whose sequencer this server runs. */
export interface MeasuredFeed {
  readonly journal: string;
  readonly sequencer: { readonly state: SequencerState };
  status(): Promise<FeedStatus>;
}

/** The metrics of the feeds whose sequencers this server runs. */
export function feedMetrics(feeds: readonly MeasuredFeed[]): readonly Metric[] {
  const known = new Map<string, FeedStatus>();
  const refresh = async () => {
    const read = async ({ journal, status }: MeasuredFeed) => void known.set(journal, await status());
    // A feed that cannot be read keeps its last values: `tablekeep_feed_running` and the failures show that it fails.
    await Promise.allSettled(feeds.map(read));
  };
  const bySequencer = (value: (state: SequencerState) => number) => (): Sample[] =>
    feeds.map(({ journal, sequencer }) => ({ labels: { journal }, value: value(sequencer.state) }));
  const byStatus = (value: (status: FeedStatus) => number | undefined) => (): Sample[] =>
    [...known].flatMap(([journal, status]) => {
      const now = value(status);
      return now === undefined ? [] : [{ labels: { journal }, value: now }];
    });
  const running = bySequencer(({ running: isRunning }) => Number(isRunning));
  const lag = byStatus(({ lagMs }) => (lagMs === undefined ? undefined : lagMs / 1000));
  return [
    readMetric("gauge", "tablekeep_feed_running", "1 while the sequencer of a feed runs.", running),
    readMetric(
      "counter",
      "tablekeep_feed_failures_total",
      "Failures of the sequencer of a feed.",
      bySequencer(({ failures }) => failures),
    ),
    {
      ...readMetric("gauge", "tablekeep_feed_lag_seconds", "How far a feed is behind its journal.", lag),
      refresh,
    },
    readMetric(
      "counter",
      "tablekeep_feed_events_total",
      "Events of a feed.",
      byStatus((status) => feedTotals(status).events),
    ),
    readMetric(
      "counter",
      "tablekeep_feed_pages_total",
      "Pages of a feed.",
      byStatus((status) => feedTotals(status).pages),
    ),
  ];
}
