/** The operations that all are compared by, in the order of the page. */
export const operations = [
  "open a fresh id",
  "append the first event",
  "append one event of 100 B",
  "append 10 × 100 B atomically",
  "append 100 × 1 KB atomically",
  "append 250 × 1 KB atomically",
  "load 50 × 1 KB, written one at a time",
  "load 50 × 1 KB, written in tens",
  "load a snapshot of 1 KB and 10 × 1 KB after it",
  "save a snapshot of 1 KB",
  "delete 120 of 180 events",
] as const;

export type Operation = (typeof operations)[number];
