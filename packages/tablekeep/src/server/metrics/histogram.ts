import { labelled } from "./counter.ts";
import type { Metric, Sample } from "./metric.ts";

/** How often which durations came, by labels. */
export interface Histogram extends Metric {
  /** One more, of so many seconds. `values` are those of the labels, in their order. */
  observe(seconds: number, ...values: readonly string[]): void;
}

/** The upper ends of the buckets, in seconds. */
const bounds: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  readonly labels: Sample["labels"];
  /** One for each bound, and one for what is above them all. */
  readonly counts: number[];
  sum: number;
}

export function histogram(name: string, help: string, labelNames: readonly string[]): Histogram {
  const all = new Map<string, Series>();
  const seriesOf = (values: readonly string[]): Series => {
    const key = values.join("\0");
    const known = all.get(key);
    if (known !== undefined) return known;
    const made = {
      labels: labelled(labelNames, values),
      counts: new Array<number>(bounds.length + 1).fill(0),
      sum: 0,
    };
    all.set(key, made);
    return made;
  };
  return {
    name,
    help,
    type: "histogram",
    observe(seconds, ...values) {
      const series = seriesOf(values);
      const above = bounds.findIndex((bound) => seconds <= bound);
      const at = above === -1 ? bounds.length : above;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
      series.sum += seconds;
    },
    samples: () => [...all.values()].flatMap(samplesOf),
  };
}

/** Prometheus wants each bucket to hold those below it, too. */
function samplesOf({ labels, counts, sum }: Series): Sample[] {
  let total = 0;
  const buckets = counts.map((count, at): Sample => {
    total += count;
    return { suffix: "_bucket", labels: { ...labels, le: String(bounds[at] ?? "+Inf") }, value: total };
  });
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: total }];
}
