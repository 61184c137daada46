import { fileURLToPath } from "node:url";
import type { JournalOptions } from "@tablekeep/journal";
import { beforeAll, describe, expect, test } from "vitest";
import { costPage } from "../../../../scripts/lib/cost-page.mjs";
import { type Cost, type CostTable, measureCost } from "./measure-cost.ts";

const page = fileURLToPath(new URL("../../../../docs/reference/entity-cost.md", import.meta.url));

const journals: readonly (readonly [name: string, options: JournalOptions])[] = [
  ["packed", { layout: "packed", table: "events" }],
  ["packed, strict", { layout: "packed", table: "events", fencing: "strict" }],
  ["bucketed", { layout: "bucketed", table: "events" }],
  ["bucketed, strict", { layout: "bucketed", table: "events", fencing: "strict" }],
  ["linear", { layout: "linear", table: "events" }],
  ["scattered", { layout: "scattered", table: "events" }],
];

const tables = new Map<string, CostTable>();

beforeAll(async () => {
  for (const [name, options] of journals) tables.set(name, await measureCost(options));
});

function cost(journal: string, name: string): Cost {
  const found = tables.get(journal)?.get(name);
  if (found === undefined) throw new Error(`nothing was measured as ${name} of ${journal}`);
  return found;
}

describe("in the packed layout", () => {
  const of = (name: string) => cost("packed", name);

  test("a load is one request, with a snapshot and without", () => {
    expect(of("load an entity without events").requests).toBe(1);
    expect(of("load an entity without events").readUnits).toBeLessThanOrEqual(1);
    expect(of("load 50 × 1 KB without a snapshot").requests).toBe(1);
    expect(of("load 50 × 1 KB without a snapshot").readUnits).toBeLessThanOrEqual(14);
    expect(of("load a snapshot of 1 KB and 10 × 1 KB after it").requests).toBe(1);
    expect(of("load a snapshot of 1 KB and 10 × 1 KB after it").readUnits).toBeLessThanOrEqual(5);
    expect(of("load a snapshot of 1 KB that is current").requests).toBe(1);
  });

  test("a command is one put, with several events too", () => {
    expect(of("command with one event, entity in memory")).toMatchObject({ requests: 1, writeUnits: 1 });
    expect(of("command with 10 events").requests).toBe(1);
    expect(of("command with 10 events").writeUnits).toBeLessThanOrEqual(2);
  });
});

describe("in the bucketed layout", () => {
  const of = (name: string) => cost("bucketed", name);

  test("a load is one snapshot query, one position read of two requests, and one replay", () => {
    expect(of("load an entity without events").requests).toBe(3);
    expect(of("load 50 × 1 KB without a snapshot").requests).toBe(4);
    expect(of("load a snapshot of 1 KB and 10 × 1 KB after it").requests).toBe(4);
    expect(of("load a snapshot of 1 KB that is current").requests).toBe(3);
  });

  test("a command with one event is one put", () => {
    expect(of("command with one event, entity in memory")).toEqual({
      requests: 1,
      readUnits: 0,
      writeUnits: 1,
    });
  });

  test("a command with an id, and commands that arrive together, are one request", () => {
    expect(of("command with one event and an id").requests).toBe(1);
    expect(of("10 commands with one event each, at once").requests).toBe(1);
  });

  test("a command without events is none", () => {
    expect(of("command without events").requests).toBe(0);
  });
});

test("the cost page has the measured values", () => {
  const columns = journals.map(([name]) => name);
  const { text, measured } = costPage(page, columns, [...(tables.get("bucketed")?.keys() ?? [])], cost);
  expect(text).toBe(measured);
});
