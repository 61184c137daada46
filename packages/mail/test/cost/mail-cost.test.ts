import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { costPage } from "../../../../scripts/lib/cost-page.mjs";
import { type MailCost, type MailCostTable, measured, measureMailCost } from "./measure-mail-cost.ts";

const page = fileURLToPath(new URL("../../../../docs/reference/mail-cost.md", import.meta.url));
const layouts = ["sharded", "mhdynamo"] as const;
const tables = new Map<string, MailCostTable>();

beforeAll(async () => {
  for (const layout of layouts)
    tables.set(layout, await measureMailCost({ layout, shards: measured.shards }));
});

function cost(layout: string, name: string): MailCost {
  const found = tables.get(layout)?.get(name);
  if (found === undefined) throw new Error(`nothing was measured as ${name} of ${layout}`);
  return found;
}

describe("in the sharded layout", () => {
  const of = (name: string) => cost("sharded", name);

  test("a message is stored with two requests, after one for the era", () => {
    expect(of("store 10 KB").requests).toBe(3);
    expect(of("store the first 10 KB of an hour").requests).toBe(4);
  });

  test("a page needs one request for the directory and one per shard for each hour it touches", () => {
    // 60 messages are in the present hour: 50 of them are one hour's.
    expect(of("list 50").requests).toBeLessThanOrEqual(2 + measured.shards);
    expect(of("list 50 from 150 on, hours counted").requests).toBeLessThanOrEqual(2 + 3 * measured.shards);
  });

  test("a list reads no bodies, and loading it reads only those of the page", () => {
    expect(of("list 50").readUnits).toBeLessThan(60);
    expect(of("load a list of 50")).toMatchObject({ requests: 2, batchGets: 1 });
    // About 6 KB of a message are left when it is packed: 2 units.
    expect(of("load a list of 50").readUnits).toBeLessThanOrEqual(50 * 3);
  });

  test("a count of messages that this instance has stored reads only the directory", () => {
    expect(of("count")).toMatchObject({ requests: 1, writeUnits: 0 });
    expect(of("count for the first time").readUnits).toBe(1);
  });

  test("a search for a whole address reads only what matches", () => {
    const found = of("search a whole address, 1 match");
    expect(found).toMatchObject({ requests: 1 + measured.shards + 1, batchGets: 1 });
    expect(found.readUnits).toBeLessThanOrEqual(1 + measured.shards + 1);
  });

  test("a search for a rare word reads signatures once, and then hardly a message that does not match", () => {
    expect(of("search a rare word").readUnits).toBeLessThan(
      of("search a rare word for the first time").readUnits / 2,
    );
    expect(of("search a rare word for the first time").readUnits).toBeLessThan(240);
  });
});

test("the cost page has the measured values", () => {
  // How many messages a signature lets through without a match is random.
  const names = [...(tables.get("sharded")?.keys() ?? [])].filter(
    (name) => !name.includes("rare word") && !name.includes("a part of an address"),
  );
  const found = costPage(page, layouts, names, cost);
  expect(found.text).toBe(found.measured);
});
