/** One metric as Prometheus would read it. */
export interface MetricFamily {
  readonly help: string;
  type: string;
  readonly labels: Set<string>;
}

/** The content of `/metrics`. */
export interface ReadMetrics {
  readonly families: ReadonlyMap<string, MetricFamily>;
  /** The value of such a line, or undefined: `name{label="value"}`. */
  value(series: string): number | undefined;
}

/** Reads `/metrics`; every line must be one of the format. */
export async function readMetrics(
  base: string | URL,
  headers: Record<string, string> = {},
): Promise<ReadMetrics> {
  const answer = await fetch(new URL("/metrics", base), { headers });
  if (answer.status !== 200) throw new Error(`/metrics answers ${answer.status}`);
  const text = await answer.text();
  const families = new Map<string, MetricFamily>();
  const values = new Map<string, number>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "HELP") families.set(name, { help: rest, type: "", labels: new Set() });
    else if (kind === "TYPE") familyOf(families, name).type = rest;
    else {
      const [, series = "", base = "", labels = "", value] =
        /^((\w+?)(?:_bucket|_sum|_count)?(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)+)\})?) (\S+)$/.exec(line) ?? [];
      if (!Number.isFinite(Number(value))) throw new Error(`this is not a line of metrics: ${line}`);
      values.set(series, Number(value));
      for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) familyOf(families, base).labels.add(label);
    }
  }
  return { families, value: (series) => values.get(series) };
}

function familyOf(families: ReadonlyMap<string, MetricFamily>, name: string): MetricFamily {
  const family = families.get(name);
  if (family === undefined) throw new Error(`${name} has no help`);
  return family;
}
