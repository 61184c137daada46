import { randomUUID } from "node:crypto";
import { ensureTable, httpPort } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type RunningServer, startServer } from "../start-server.ts";

const endpoint = inject("dynamoDbLocal");
const table = `tables-part-${randomUUID()}`;
let port: DynamoPort;
let server: RunningServer;

beforeAll(async () => {
  if (endpoint === "") return;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  port = httpPort({ endpoint, region: "us-east-1", credentials });
  await ensureTable(port, {
    name: table,
    partitionKey: { name: "customer", type: "S" },
    sortKey: { name: "nr", type: "N" },
    globalIndexes: [{ name: "by-status", partitionKey: { name: "status", type: "S" } }],
  });
  const puts = Array.from({ length: 20 }, (_, at) => {
    const status = { S: at % 4 === 0 ? "paid" : "open" };
    const total = { N: String(at * 10) };
    return { PutRequest: { Item: { customer: { S: "anna" }, nr: { N: String(at) }, status, total } } };
  });
  await port.batchWriteItem({ RequestItems: { [table]: puts } });
  server = await startServer({ port, journals: [], mail: false, shadows: false, httpPort: 0 });
});
afterAll(async () => {
  await server?.stop();
  await port?.deleteTable({ TableName: table });
  await port?.close();
});

async function get<Body>(path: string, query: Record<string, string> = {}): Promise<Body> {
  const url = new URL(
    `/api/v3/tables/${table}${path}?${new URLSearchParams(query)}`,
    server.listeners[0]?.url,
  );
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Body;
}

interface Page {
  readonly items: readonly { readonly nr: { readonly N: string } }[];
  readonly scanned: number;
  readonly readUnits: number;
  readonly next?: string;
}

const numbers = ({ items }: Page) => items.map(({ nr }) => Number(nr.N));

describe.skipIf(endpoint === "")("the tables API on DynamoDB", () => {
  test("queries, filters and continues from a cursor", async () => {
    const filter = JSON.stringify({ path: ["total"], is: ">=", value: { N: "50" } });
    const query = { partition: "anna", filter, limit: "4", order: "desc" };
    const first = await get<Page>("/items", query);
    expect(numbers(first)).toEqual([19, 18, 17, 16]);
    expect(first.readUnits).toBeGreaterThan(0);
    expect(numbers(await get<Page>("/items", { ...query, cursor: first.next ?? "" }))).toEqual([
      15, 14, 13, 12,
    ]);
  });

  test("continues from a cursor in a filtered scan of an index", async () => {
    const filter = JSON.stringify({ path: ["status"], is: "=", value: { S: "paid" } });
    const found: number[] = [];
    let cursor = "";
    do {
      const page = await get<Page>("/items", { index: "by-status", filter, limit: "2", cursor });
      found.push(...numbers(page));
      cursor = page.next ?? "";
    } while (cursor !== "");
    expect(found.sort((one, other) => one - other)).toEqual([0, 4, 8, 12, 16]);
  });

  test("reports the consumed capacity", async () => {
    const { used, browsed } = await get<Record<"used" | "browsed", { readUnits: number }>>("");
    expect(used.readUnits).toBeGreaterThan(0);
    expect(browsed.readUnits).toBeGreaterThan(0);
  });
});
