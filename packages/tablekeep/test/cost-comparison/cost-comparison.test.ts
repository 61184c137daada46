import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { itemSize } from "@tablekeep/core";
import { beforeAll, describe, expect, test } from "vitest";
import { akka1Items, akka1Requests, akka1Tables } from "./akka-1-requests.ts";
import { akka2Items, akka2Requests, akka2Tables } from "./akka-2-requests.ts";
import { measureCastore } from "./measure-castore.ts";
import { measureTablekeep } from "./measure-tablekeep.ts";
import { type Operation, operations } from "./operations.ts";
import { countOnEngine } from "./replay-requests.ts";
import { type Cost, costOf, type Scenario } from "./request-cost.ts";

const page = fileURLToPath(new URL("../../../../docs/reference/cost-comparison.md", import.meta.url));

type CostOf = (operation: Operation) => Cost | undefined;

const columns = new Map<string, CostOf>();

const computed =
  (scenarios: Readonly<Record<Operation, Scenario | undefined>>): CostOf =>
  (operation) => {
    const scenario = scenarios[operation];
    return scenario && costOf(scenario.requests);
  };

beforeAll(async () => {
  const packed = await measureTablekeep("optimistic");
  const strict = await measureTablekeep("strict");
  const castore = await measureCastore();
  columns.set("Tablekeep, packed", (operation) => packed.get(operation));
  columns.set("Tablekeep, packed, strict", (operation) => strict.get(operation));
  columns.set("castore", (operation) => castore.get(operation));
  columns.set("Akka 1.3", computed(akka1Requests));
  columns.set("Akka 2", computed(akka2Requests));
});

const cost = (column: string, operation: Operation) => columns.get(column)?.(operation);

describe("the computed costs", () => {
  test.each(operations)("are what an engine counts for the requests of Akka 1.3: %s", async (operation) => {
    const scenario = akka1Requests[operation];
    expect(await countOnEngine(akka1Tables, scenario)).toEqual(costOf(scenario.requests));
  });

  test.each(operations.filter((operation) => akka2Requests[operation] !== undefined))(
    "are what an engine counts for the requests of Akka 2: %s",
    async (operation) => {
      const scenario = akka2Requests[operation] as Scenario;
      expect(await countOnEngine(akka2Tables, scenario)).toEqual(costOf(scenario.requests));
    },
  );

  test("have the numbers of requests that Akka 1.3 was seen to send", () => {
    expect(namesOf(akka1Requests["open a fresh id"])).toBe("2 Query, 2 BatchGetItem");
    expect(namesOf(akka1Requests["append 100 × 1 KB atomically"])).toBe("5 BatchWriteItem");
    expect(namesOf(akka1Requests["delete 120 of 180 events"])).toBe(
      "2 BatchGetItem, 1 Query, 1 PutItem, 5 BatchWriteItem",
    );
  });
});

describe("castore", () => {
  test("is measured for everything that it can do", () => {
    const missing = operations.filter((operation) => cost("castore", operation) === undefined);
    expect(missing).toEqual([
      "append 250 × 1 KB atomically",
      "save a snapshot of 1 KB",
      "delete 120 of 180 events",
    ]);
  });

  test("spends what Tablekeep does on a single event", () => {
    expect(cost("castore", "append one event of 100 B")).toEqual(
      cost("Tablekeep, packed", "append one event of 100 B"),
    );
  });
});

test("the packed layout never needs more requests to write or to load", () => {
  for (const operation of operations) {
    if (!/^(open|append|load|save)/.test(operation)) continue;
    const own = cost("Tablekeep, packed", operation)?.requests ?? Number.POSITIVE_INFINITY;
    for (const column of ["castore", "Akka 1.3", "Akka 2"]) {
      const other = cost(column, operation);
      if (other !== undefined)
        expect([operation, column, own <= other.requests]).toEqual([operation, column, true]);
    }
  }
});

test("the page has the measured and the computed values", () => {
  const text = readFileSync(page, "utf8");
  const generated = withTable(
    withTable(withTable(text, "costs", costTable()), "requests", requestTable()),
    "sizes",
    sizeTable(),
  );
  if (process.env["TABLEKEEP_UPDATE_DOCS"] === "1") writeFileSync(page, generated);
  else expect(text).toBe(generated);
});

function withTable(text: string, name: string, rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows;
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = [line(head), `|---|${"---:|".repeat(head.length - 1)}`, ...rest.map(line)].join("\n");
  const pattern = new RegExp(`(<!-- ${name} -->\\n\\n)[\\s\\S]*?(\\n\\n<!-- end -->)`);
  return text.replace(pattern, (_all, start, end) => start + table + end);
}

function costTable(): string[][] {
  const shown = (each: Cost | undefined) =>
    each === undefined
      ? "–"
      : [each.requests, each.readUnits, each.writeUnits]
          .map((value) => value.toLocaleString("en-US"))
          .join(" / ");
  return [
    ["what", ...columns.keys()],
    ...operations.map((operation) => [
      operation,
      ...Array.from(columns.values(), (costOfColumn) => shown(costOfColumn(operation))),
    ]),
  ];
}

function requestTable(): string[][] {
  return [
    ["what", "Akka 1.3", "Akka 2"],
    ...operations.map((operation) => [
      operation,
      namesOf(akka1Requests[operation]),
      namesOf(akka2Requests[operation]),
    ]),
  ];
}

/** The requests of a scenario by name, with their counts, such as "2 Query, 1 PutItem". */
function namesOf(scenario: Scenario | undefined): string {
  if (scenario === undefined) return "–";
  const counts = new Map<string, number>();
  for (const { operation } of scenario.requests) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  return Array.from(counts, ([operation, count]) => `${count} ${operation}`).join(", ");
}

function sizeTable(): string[][] {
  const row = (name: string, items: typeof akka1Items) => [
    name,
    ...[items.small, items.large, items.state].map((item) => `${itemSize(item).toLocaleString("en-US")} B`),
  ];
  return [
    ["item", "event of 100 B", "event of 1,000 B", "snapshot of 1,000 B"],
    row("Akka 1.3", akka1Items),
    row("Akka 2", akka2Items),
  ];
}
