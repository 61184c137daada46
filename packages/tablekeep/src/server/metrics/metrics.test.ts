import { expect, test } from "vitest";
import { counter, histogram, metricsText, readMetric } from "./metrics.ts";

test("counts by their labels", () => {
  const seen = counter("seen_total", "What was seen.", ["what", "where"]);
  seen.count("cat", "roof");
  seen.count("cat", "roof");
  seen.count("dog", "yard");
  expect(metricsText([seen])).toBe(
    '# HELP seen_total What was seen.\n# TYPE seen_total counter\nseen_total{what="cat",where="roof"} 2\nseen_total{what="dog",where="yard"} 1\n',
  );
});

test("each bucket holds those below it, and the last all", () => {
  const took = histogram("took_seconds", "How long it took.", ["route"]);
  for (const seconds of [0.001, 0.002, 0.3, 99]) took.observe(seconds, "/");
  const lines = metricsText([took]).split("\n");
  const value = (bound: string) =>
    lines.find((line) => line.startsWith(`took_seconds_bucket{route="/",le="${bound}"}`))?.split(" ")[1];
  expect(["0.001", "0.0025", "0.25", "0.5", "10", "+Inf"].map(value)).toEqual(["1", "2", "2", "3", "3", "4"]);
  expect(lines).toContain('took_seconds_count{route="/"} 4');
  expect(lines.find((line) => line.startsWith("took_seconds_sum"))).toMatch(/ 99\.303$/);
});

test("escapes characters that could end a label or a line", () => {
  const odd = counter("odd_total", "Back\\slash\nand line.", ["name"]);
  odd.count('a"b\\c\nd');
  expect(metricsText([odd])).toBe(
    '# HELP odd_total Back\\\\slash\\nand line.\n# TYPE odd_total counter\nodd_total{name="a\\"b\\\\c\\nd"} 1\n',
  );
});

test("reads a gauge at every scrape", () => {
  let value = 1;
  const gauge = readMetric("gauge", "now", "Now.", () => value);
  value = 2;
  expect(metricsText([gauge])).toContain("\nnow 2\n");
});
