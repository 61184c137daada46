/** One value of a metric. */
export interface Sample {
  /** What follows the metric's name: `_bucket`, `_sum`. @default nothing */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A counter, gauge or histogram in Prometheus's sense. */
export interface Metric {
  readonly name: string;
  /** One line: what it measures, and its unit. */
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Its current value. */
  samples(): readonly Sample[];
  /** Called before a scrape, for values that have to be read from a table. @default none */
  refresh?(): Promise<void>;
}

/** A metric whose value is read at each scrape. */
export function readMetric(
  type: "counter" | "gauge",
  name: string,
  help: string,
  read: () => number | readonly Sample[],
): Metric {
  const samples = () => {
    const value = read();
    return typeof value === "number" ? [{ labels: {}, value }] : value;
  };
  return { name, help, type, samples };
}

/** Counts things, by labels. */
export interface Counter extends Metric {
  /** Adds one. `values` are the values of the labels, in their order; there must be few different ones. */
  count(...values: readonly string[]): void;
}

export function counter(name: string, help: string, labelNames: readonly string[]): Counter {
  const counts = new Map<string, { readonly labels: Sample["labels"]; value: number }>();
  return {
    name,
    help,
    type: "counter",
    count(...values) {
      const key = values.join("\0");
      const known = counts.get(key);
      if (known !== undefined) known.value += 1;
      else counts.set(key, { labels: labeled(labelNames, values), value: 1 });
    },
    samples: () => [...counts.values()].map(({ labels, value }) => ({ labels, value })),
  };
}

/** Labels by their names. */
function labeled(names: readonly string[], values: readonly string[]): Sample["labels"] {
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
}

/** A histogram of durations, by labels. */
export interface Histogram extends Metric {
  /** Counts one observation of this many seconds. `values` are the values of the labels, in their order. */
  observe(seconds: number, ...values: readonly string[]): void;
}

/** The upper ends of the buckets, in seconds. */
const bounds: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  readonly labels: Sample["labels"];
  /** One for each bound, and one for values above all bounds. */
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
      labels: labeled(labelNames, values),
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

/** In Prometheus each bucket includes those below it. */
function samplesOf({ labels, counts, sum }: Series): Sample[] {
  let total = 0;
  const buckets = counts.map((count, at): Sample => {
    total += count;
    return { suffix: "_bucket", labels: { ...labels, le: String(bounds[at] ?? "+Inf") }, value: total };
  });
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: total }];
}

/** The content type of the text below. */
export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** Metrics in Prometheus's text format. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .map((metric) => {
      const { name, help, type } = metric;
      const lines = metric.samples().map((sample) => `${sampleText(name, sample)}\n`);
      return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
    })
    .join("");
}

function sampleText(name: string, { suffix = "", labels, value }: Sample): string {
  const parts = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${suffix}${parts.length === 0 ? "" : `{${parts.join(",")}}`} ${value}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
