import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, inject, test } from "vitest";
import { connect, sdkClient } from "../src/index.ts";
import {
  clientOverAnyPort,
  exceptionsOfTheSdk,
  portOverYourClient,
  streamsOverAnyPort,
} from "./sdk-page-examples.ts";

const endpoint = inject("dynamoDbLocal");
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const flat = (code: string) => code.replace(/^\s+/gm, "").trim();

describe("docs/reference/sdk.md", () => {
  test("shows the examples that are compiled here, and no others", () => {
    const blocks = [...read("../../../docs/reference/sdk.md").matchAll(/```ts\n(.*?)```/gs)];
    expect(blocks.length).toBe(4);
    const compiled = flat(read("./sdk-page-examples.ts"));
    for (const [, block] of blocks) expect(compiled).toContain(flat(block ?? ""));
  });

  test.skipIf(endpoint === "")("they run", async () => {
    const TableName = `sdk-page-${randomUUID().slice(0, 8)}`;
    await using port = connect({ endpoint, region: "eu-west-1", credentials });
    await port.createTable({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
    });
    expect(await clientOverAnyPort(port, TableName)).toEqual({ id: "1", tags: new Set(["new"]) });
    const item = { id: { S: "1" }, tags: { SS: ["new"] } };
    expect(await portOverYourClient({ endpoint, credentials }, TableName)).toEqual(item);
    expect(await exceptionsOfTheSdk(await sdkClient(port), { TableName, Item: item })).toBe(400);
    expect(await streamsOverAnyPort(port, TableName)).toMatchObject([{ TableName }]);
    await port.deleteTable({ TableName });
  });
});
