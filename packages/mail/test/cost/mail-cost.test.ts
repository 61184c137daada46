import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
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

  test("a message is stored with two requests", () => {
    expect(of("store 10 KB").requests).toBe(2);
    expect(of("store the first 10 KB of an hour").requests).toBe(3);
  });

  test("a page needs one request for the directory and one per shard for each hour it touches", () => {
    // 60 messages are in the present hour: 50 of them are one hour's.
    expect(of("list 50").requests).toBeLessThanOrEqual(2 + measured.shards);
    expect(of("list 50 from 150 on, hours counted").requests).toBeLessThanOrEqual(2 + 3 * measured.shards);
  });

  test("a list reads no bodies, and loading it reads only those of the page", () => {
    expect(of("list 50").readUnits).toBeLessThan(60);
    expect(of("load a list of 50")).toMatchObject({ requests: 1, batchGets: 1 });
    // About 6 KB of a message are left when it is packed: 2 units.
    expect(of("load a list of 50").readUnits).toBeLessThanOrEqual(50 * 3);
  });

  test("a count reads hours that ended once, and never bodies", () => {
    const present = measured.shards;
    expect(of("count")).toMatchObject({ requests: 1 + present, writeUnits: 0 });
    expect(of("count").readUnits).toBeLessThan(20);
    expect(of("count for the first time").readUnits).toBeLessThan(100);
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

/** The table of the page, as it must be. Set TABLEKEEP_UPDATE_DOCS=1 to write it. */
test("the cost page has the measured values", () => {
  // How many messages a signature lets through without a match is random.
  const names = [...(tables.get("sharded")?.keys() ?? [])].filter(
    (name) => !name.includes("rare word") && !name.includes("a part of an address"),
  );
  const number = (units: number) => units.toLocaleString("en-US", { maximumFractionDigits: 1 });
  const cell = ({ requests, readUnits, writeUnits }: MailCost) =>
    `${requests} / ${number(readUnits)} / ${number(writeUnits)}`;
  const lines = names.map(
    (name) => `| ${[name, ...layouts.map((layout) => cell(cost(layout, name)))].join(" | ")} |`,
  );
  const table = [`| what | ${layouts.join(" | ")} |`, "|---|---:|---:|", ...lines].join("\n");
  const text = readFileSync(page, "utf8");
  const written = text.replace(
    /(<!-- costs -->\n\n)[\s\S]*?(\n\n<!-- end -->)/,
    (_all, start, end) => start + table + end,
  );
  if (process.env["TABLEKEEP_UPDATE_DOCS"] === "1") writeFileSync(page, written);
  else expect(text).toBe(written);
});
