import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { DynamoError, type DynamoPort, type Logger, wrapPort } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { httpPort } from "../http/http-port.ts";
import { ensureTable } from "../tables/ensure-table.ts";
import { logged } from "./logged.ts";

const endpoint = inject("dynamoDbLocal");

/** A marker in every confidential place: keys, values, expressions, statements, credentials. */
const canary = "c4n4ry5ecret";

const lines: string[] = [];
const record =
  (level: string) =>
  (...said: unknown[]) =>
    void lines.push(`${level} ${inspect(said, { depth: 20 })}`);
const logger: Logger = {
  debug: record("debug"),
  info: record("info"),
  warn: record("warn"),
  error: record("error"),
};

/** The visible parts of an error: its message and its stack, and those of its causes. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message}\n${error.stack}\n${error.cause === undefined ? "" : errorText(error.cause)}`;
}

describe.skipIf(endpoint === "")("no log line and no error message contains a secret", () => {
  const table = `canary-${randomUUID()}`;
  const Item = { id: { S: canary }, body: { M: { inner: { S: canary } } }, raw: { B: Buffer.from(canary) } };
  let raw: DynamoPort;
  let port: DynamoPort;
  beforeAll(async () => {
    raw = httpPort({
      endpoint,
      region: "us-east-1",
      credentials: { accessKeyId: "local", secretAccessKey: canary, sessionToken: canary },
      logger,
      tracing: true,
    });
    port = logged(raw, logger, { tracing: true });
    await ensureTable(port, { name: table, partitionKey: { name: "id", type: "S" } });
  });
  afterAll(() => raw.close());

  /** Runs calls that fail, and returns what they said. */
  async function textsOf(calls: readonly (() => Promise<unknown>)[]): Promise<string[]> {
    const texts: string[] = [];
    for (const call of calls) {
      await call().then(
        () => expect.unreachable("the call should fail"),
        (error: unknown) => texts.push(errorText(error)),
      );
    }
    return texts;
  }

  it("holds for calls that succeed", async () => {
    await port.putItem({ TableName: table, Item });
    await port.getItem({ TableName: table, Key: { id: Item.id } });
    await port.updateItem({
      TableName: table,
      Key: { id: Item.id },
      UpdateExpression: "SET #name = :value",
      ExpressionAttributeNames: { "#name": canary },
      ExpressionAttributeValues: { ":value": { S: canary } },
    });
    await port.executeStatement({ Statement: `SELECT * FROM "${table}" WHERE id = '${canary}'` });
    await port.scan({ TableName: table });
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.join("\n")).not.toContain(canary);
  });

  it("holds for calls that fail, ambiguous or not", async () => {
    const losing = logged(
      wrapPort(raw, async (operation, input, options, next) => {
        await next(operation, input, options);
        throw new DynamoError({ exception: "InternalServerError", serviceMessage: "lost", operation });
      }),
      logger,
      { tracing: true },
    );
    const rejected = {
      TableName: table,
      Item,
      ConditionExpression: "attribute_not_exists(id)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    } as const;
    const texts = await textsOf([
      () => port.putItem(rejected),
      () => port.transactWriteItems({ TransactItems: [{ Put: rejected }] }),
      () => port.getItem({ TableName: table, Key: { wrong: Item.id } }),
      () => port.getItem({ TableName: `${table}-absent`, Key: { id: Item.id } }),
      () => port.putItem({ TableName: table, Item: { id: { BOOL: true }, other: Item.id } }),
      () => losing.putItem({ TableName: table, Item }),
    ]);
    expect(lines.filter((line) => line.startsWith("warn"))).not.toEqual([]);
    expect([...lines, ...texts].join("\n")).not.toContain(canary);
  });

  it("holds for log lines also where DynamoDB itself quotes the request in its message", async () => {
    const [text] = await textsOf([
      () => port.putItem({ TableName: table, Item, ConditionExpression: `id = :${canary}` }),
    ]);
    expect(text).toContain(canary);
    expect(lines.join("\n")).not.toContain(canary);
  });

  it("holds without an answer, and for wrong credentials", async () => {
    const credentials = { accessKeyId: `AKIA${canary}`, secretAccessKey: canary, sessionToken: canary };
    await using nowhere = httpPort({
      endpoint: "http://127.0.0.1:1",
      region: "us-east-1",
      credentials,
      logger,
      tracing: true,
      maxAttempts: 2,
    });
    const texts = await textsOf([
      () => logged(nowhere, logger, { tracing: true }).putItem({ TableName: table, Item }),
    ]);
    expect([...lines, ...texts].join("\n")).not.toContain(canary);
  });
});
