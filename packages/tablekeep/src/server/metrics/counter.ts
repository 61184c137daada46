import type { Metric, Sample } from "./metric.ts";

/** Counts things, by labels. */
export interface Counter extends Metric {
  /** One more. `values` are those of the labels, in their order; there must be few of them in all. */
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
      else counts.set(key, { labels: labelled(labelNames, values), value: 1 });
    },
    samples: () => [...counts.values()].map(({ labels, value }) => ({ labels, value })),
  };
}

/** Labels by their names. */
export function labelled(names: readonly string[], values: readonly string[]): Sample["labels"] {
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
}
