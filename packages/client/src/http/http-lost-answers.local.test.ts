import { randomUUID } from "node:crypto";
import type { DynamoPort } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type DropPoint, type DroppingRelay, dropPoints, droppingRelay } from "../../test/dropping-relay.ts";
import { failureOf } from "../../test/failure-of.ts";
import { httpPort } from "./http-port.ts";

const endpoint = inject("dynamoDbLocal");
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const TableName = `lost-answers-${randomUUID().slice(0, 8)}`;

/** Points at which DynamoDB has carried the request out when the connection goes. */
const applied: ReadonlySet<DropPoint> = new Set<DropPoint>([
  "after it is applied",
  "after the headers",
  "in the middle of the body",
]);

describe.skipIf(endpoint === "")("a connection that is lost between us and DynamoDB", () => {
  let relay: DroppingRelay;
  let port: DynamoPort;
  let direct: DynamoPort;

  beforeAll(async () => {
    relay = await droppingRelay(endpoint);
    port = httpPort({ endpoint: relay.url, credentials, region: "us-east-1" });
    direct = httpPort({ endpoint, credentials, region: "us-east-1" });
    await direct.createTable({
      TableName,
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    });
  });
  afterAll(async () => {
    await direct?.deleteTable({ TableName });
    await port?.close();
    await direct?.close();
    await relay?.close();
  });

  const stored = async (id: string) =>
    (await direct.getItem({ TableName, Key: { id: { S: id } }, ConsistentRead: true })).Item;

  const succeeds = (call: Promise<unknown>) =>
    call.then(
      () => true,
      () => false,
    );

  const increment = (id: string) => ({
    TableName,
    Key: { id: { S: id } },
    UpdateExpression: "ADD n :one",
    ExpressionAttributeValues: { ":one": { N: "1" } },
  });

  describe.each(dropPoints)("%s", (point) => {
    test.each([1, 3])("a read still returns the item (%i times)", async (times) => {
      const id = randomUUID();
      await direct.putItem({ TableName, Item: { id: { S: id }, n: { N: "7" } } });
      relay.drop(point, times);
      await expect(
        port.getItem({ TableName, Key: { id: { S: id } }, ConsistentRead: true }),
      ).resolves.toEqual({
        Item: { id: { S: id }, n: { N: "7" } },
      });
    });

    test("a put is stored", async () => {
      const id = randomUUID();
      relay.drop(point);
      await port.putItem({ TableName, Item: { id: { S: id }, n: { N: "1" } } });
      expect(await stored(id)).toEqual({ id: { S: id }, n: { N: "1" } });
    });

    test("a put that must be the first one: ok, or a conflict with itself that is reported as unknown", async () => {
      const id = randomUUID();
      const Item = { id: { S: id }, wid: { S: `write-${id}` } };
      relay.drop(point);
      const call = port.putItem({
        TableName,
        Item,
        ConditionExpression: "attribute_not_exists(id)",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      if (applied.has(point)) {
        expect(await failureOf(call)).toMatchObject({
          code: "DYNAMO_CONDITIONAL_CHECK_FAILED",
          ambiguous: true,
          details: { attempts: 2, item: Item, table: TableName, operation: "PutItem" },
        });
      } else {
        await expect(call).resolves.toEqual({});
      }
      expect(await stored(id)).toEqual(Item);
    });

    test("an update is applied at most once, and reported as ambiguous", async () => {
      const id = randomUUID();
      const passedOn = relay.counts.passedOn;
      relay.drop(point);
      const call = port.updateItem(increment(id));
      if (point === "on connecting" && (await succeeds(call))) {
        // The system may report the loss as a connection that was never made: then it was safe to try again.
        expect((await stored(id))?.["n"]).toEqual({ N: "1" });
        return;
      }
      expect(await failureOf(call)).toMatchObject({ ambiguous: true, details: { attempts: 1 } });
      expect(relay.counts.passedOn - passedOn).toBe(applied.has(point) ? 1 : 0);
      expect((await stored(id))?.["n"]).toEqual(applied.has(point) ? { N: "1" } : undefined);
    });

    test("an update that may be repeated is repeated", async () => {
      const id = randomUUID();
      relay.drop(point);
      const set = { ...increment(id), UpdateExpression: "SET n = :one" };
      await expect(port.updateItem(set, { idempotent: true })).resolves.toEqual({});
      expect((await stored(id))?.["n"]).toEqual({ N: "1" });
    });

    test("a transaction is applied exactly once", async () => {
      const id = randomUUID();
      relay.drop(point, 2);
      await port.transactWriteItems({ TransactItems: [{ Update: increment(id) }] });
      expect((await stored(id))?.["n"]).toEqual({ N: "1" });
    });
  });
});
