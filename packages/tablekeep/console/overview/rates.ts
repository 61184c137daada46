import type { TableFacts } from "../tables/api/table-facts.ts";

/** Counts of all tables at one moment. */
export interface Sample {
  /** Milliseconds. */
  readonly at: number;
  readonly requests: number;
  /** Capacity units. */
  readonly units: number;
}

/** The tables at one moment. */
export interface TablesUsed {
  /** Milliseconds. */
  readonly at: number;
  readonly tables: readonly Pick<TableFacts, "used">[];
}

/** Samples that are kept: a few minutes. */
const maxSamples = 60;

export function addSample(samples: readonly Sample[], { at, tables }: TablesUsed): readonly Sample[] {
  const sum = (of: (used: TableFacts["used"]) => number) =>
    tables.reduce((total, { used }) => total + of(used), 0);
  const sample = {
    at,
    requests: sum(({ requests }) => requests),
    units: sum(({ readUnits, writeUnits }) => readUnits + writeUnits),
  };
  return [...samples, sample].slice(-maxSamples);
}

/** Rates per second between samples. A count that falls, because the server was started again, counts as 0. */
export function ratesOf(samples: readonly Sample[], count: (sample: Sample) => number): readonly number[] {
  return samples.slice(1).map((sample, at) => {
    const before = samples[at] ?? sample;
    const seconds = (sample.at - before.at) / 1_000;
    return seconds <= 0 ? 0 : Math.max(0, count(sample) - count(before)) / seconds;
  });
}
