/** One number of a metric. */
export interface Sample {
  /** What follows the metric's name: `_bucket`, `_sum`. @default nothing */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Something that is counted or measured, as Prometheus reads it. */
export interface Metric {
  readonly name: string;
  /** One line: what it counts, and in what unit. */
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** What it is now. */
  samples(): readonly Sample[];
}

/** A number that goes up and down, or counts of somebody else's: it is read when it is asked for. */
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
