import { readFileSync } from "node:fs";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { batch, everyPage, oneStatement, transaction } from "./page-examples.ts";

const page = readFileSync(new URL("../../../../docs/reference/partiql.md", import.meta.url), "utf8");
const sql = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, block]) => block ?? "");
const statements = sql.flatMap((block) =>
  block
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== ""),
);

test("the statements of docs/reference/partiql.md run in order", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  const key = (AttributeName: string, KeyType: "HASH" | "RANGE") => ({ AttributeName, KeyType });
  await engine.createTable({
    TableName: "orders",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "customer", AttributeType: "S" },
      { AttributeName: "day", AttributeType: "S" },
      { AttributeName: "state", AttributeType: "S" },
      { AttributeName: "total", AttributeType: "N" },
    ],
    KeySchema: [key("customer", "HASH"), key("day", "RANGE")],
    GlobalSecondaryIndexes: [
      {
        IndexName: "by-state",
        KeySchema: [key("state", "HASH"), key("total", "RANGE")],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  });
  const found: number[] = [];
  for (const Statement of statements) {
    const { Items = [] } = await engine.executeStatement({ Statement });
    if (Statement.startsWith("SELECT")) found.push(Items.length);
  }
  expect(statements).toHaveLength(14);
  expect(found).toEqual([1, 1, 1, 2, 1, 1]);

  expect(await oneStatement(engine)).toEqual([{ day: { S: "2026-11-02" }, total: { N: "14.5" } }]);
  expect(await everyPage(engine)).toHaveLength(1);
  expect(await batch(engine)).toEqual([undefined, "ConditionalCheckFailed"]);
  expect(await transaction(engine)).toBeUndefined();
  expect(await transaction(engine)).toBeUndefined();
});
