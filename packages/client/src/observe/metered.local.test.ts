import { randomUUID } from "node:crypto";
import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openPort } from "../../test/open-port.ts";
import { ensureTable } from "../tables/ensure-table.ts";
import { formatCost, meterDifference } from "./meter.ts";
import { metered } from "./metered.ts";

const endpoint = inject("dynamoDbLocal");
const id = (text: string) => ({ id: { S: text } });

describe.skipIf(endpoint === "")("metered on DynamoDB Local", () => {
  const first = `first-${randomUUID()}`;
  const second = `second-${randomUUID()}`;
  let raw: DynamoPort;
  beforeAll(async () => {
    raw = openPort(endpoint);
    for (const name of [first, second])
      await ensureTable(raw, { name, partitionKey: { name: "id", type: "S" } });
  });
  afterAll(() => raw.close());

  /** Runs something on a metered port and returns its cost. */
  async function costOf(act: (port: DynamoPort) => Promise<unknown>): Promise<string> {
    const { port, meter } = metered(raw, { capacity: true });
    await act(port);
    return formatCost(meter.snapshot().total);
  }

  it("says what a put and the two kinds of get cost", async () => {
    const Item = { ...id("a"), body: { S: "x".repeat(1000) } };
    expect(await costOf((port) => port.putItem({ TableName: first, Item }))).toBe(
      "1 request, 1 item written, 1 WCU",
    );
    const get = { TableName: first, Key: id("a") };
    expect(await costOf((port) => port.getItem(get))).toBe("1 request, 1 item read, 0.5 RCU");
    expect(await costOf((port) => port.getItem({ ...get, ConsistentRead: true }))).toBe(
      "1 request, 1 item read, 1 RCU",
    );
    expect(await costOf((port) => port.getItem({ TableName: first, Key: id("absent") }))).toBe(
      "1 request, 0.5 RCU",
    );
  });

  it("counts every item of batches and transactions, and each table's share", async () => {
    const { port, meter } = metered(raw, { capacity: true });
    const put = (text: string) => ({ PutRequest: { Item: id(text) } });
    await port.batchWriteItem({ RequestItems: { [first]: [put("1"), put("2")], [second]: [put("3")] } });
    await port.transactWriteItems({
      TransactItems: [
        { Put: { TableName: first, Item: id("4") } },
        { Delete: { TableName: second, Key: id("3") } },
      ],
    });
    await port.batchGetItem({ RequestItems: { [first]: { Keys: [id("1"), id("2"), id("none")] } } });
    await port.transactGetItems({ TransactItems: [{ Get: { TableName: first, Key: id("4") } }] });
    const { total, byTable, byOperation } = meter.snapshot();
    expect(total).toMatchObject({
      requests: 4,
      itemsWritten: 5,
      itemsRead: 3,
      bytesWritten: 4 * 3,
      bytesRead: 3 * 3,
    });
    expect(byTable[first]).toMatchObject({ requests: 4, itemsWritten: 3, itemsRead: 3 });
    expect(byTable[second]).toMatchObject({ requests: 2, itemsWritten: 2, itemsRead: 0 });
    expect(byOperation.BatchWriteItem).toMatchObject({ requests: 1, itemsWritten: 3, writeUnits: 3 });
    // 2 WCU for each write of a transaction.
    expect(byOperation.TransactWriteItems).toMatchObject({ writeUnits: 4 });
    expect(total.readUnits).toBe((byTable[first]?.readUnits ?? 0) + (byTable[second]?.readUnits ?? 0));
  });

  it("counts a condition check as an action that writes nothing", async () => {
    const { port, meter } = metered(raw);
    const ConditionCheck = {
      TableName: second,
      Key: id("9"),
      ConditionExpression: "attribute_not_exists(id)",
    };
    await port.transactWriteItems({ TransactItems: [{ ConditionCheck }] });
    expect(meter.snapshot().byTable[second]).toMatchObject({ requests: 1, itemsWritten: 0, bytesWritten: 0 });
  });

  it("counts pages of query and scan, also those that only count", async () => {
    const name = `pages-${randomUUID()}`;
    const keys = { partitionKey: { name: "id", type: "S" }, sortKey: { name: "n", type: "N" } } as const;
    await ensureTable(raw, { name, ...keys });
    for (const n of ["1", "2", "3"])
      await raw.putItem({ TableName: name, Item: { ...id("a"), n: { N: n } } });
    const query = {
      TableName: name,
      KeyConditionExpression: "id = :id",
      ExpressionAttributeValues: { ":id": { S: "a" } },
    };
    expect(await costOf((port) => port.query(query))).toBe("1 request, 3 items read, 0.5 RCU");
    expect(await costOf((port) => port.query({ ...query, Select: "COUNT" }))).toContain("3 items read");
    expect(await costOf((port) => port.scan({ TableName: name, Limit: 2 }))).toContain("2 items read");
  });

  it("counts statements by what they do", async () => {
    const statement = (text: string) => ({ Statement: text });
    expect(
      await costOf((port) => port.executeStatement(statement(`INSERT INTO "${first}" VALUE {'id': 'p1'}`))),
    ).toContain("1 request, 1 item written");
    expect(
      await costOf((port) => port.executeStatement(statement(`SELECT * FROM "${first}" WHERE id = 'p1'`))),
    ).toContain("1 request, 1 item read");
    const Statements = [
      statement(`SELECT * FROM "${first}" WHERE id = 'p1'`),
      statement(`SELECT * FROM "${first}" WHERE id = 'none'`),
    ];
    expect(await costOf((port) => port.batchExecuteStatement({ Statements }))).toContain("1 item read");
  });

  it("removes the capacity from the answer unless the caller asked for it", async () => {
    const { port, meter } = metered(raw, { capacity: true });
    const put = { TableName: first, Item: id("quiet") };
    expect(await port.putItem(put)).toEqual(await raw.putItem(put));
    const asked = await port.putItem({ ...put, ReturnConsumedCapacity: "INDEXES" });
    expect(asked.ConsumedCapacity).toMatchObject({ CapacityUnits: 1, Table: { CapacityUnits: 1 } });
    expect(await port.putItem({ ...put, ReturnConsumedCapacity: "NONE" })).not.toHaveProperty(
      "ConsumedCapacity",
    );
    expect(meter.snapshot().total.writeUnits).toBe(3);
  });

  it("requests nothing without the option, and changes neither input nor options", async () => {
    const seen: unknown[] = [];
    const watched = wrapPort(raw, (operation, input, options, next) => {
      seen.push(input);
      return next(operation, input, options);
    });
    const { port, meter } = metered(watched);
    const put = { TableName: first, Item: id("plain") };
    await port.putItem(put);
    expect(seen[0]).toBe(put);
    expect(formatCost(meter.snapshot().total)).toBe("1 request, 1 item written");
  });

  it("counts failures by code, and lets the error pass", async () => {
    const { port, meter } = metered(raw, { capacity: true });
    const rejected = port.putItem({
      TableName: first,
      Item: id("a"),
      ConditionExpression: "attribute_exists(nothing)",
    });
    await expect(rejected).rejects.toMatchObject({ code: "DYNAMO_CONDITIONAL_CHECK_FAILED" });
    await expect(port.getItem({ TableName: "absent-table", Key: id("a") })).rejects.toThrow();
    const { total, errors, byTable } = meter.snapshot();
    expect(total).toMatchObject({ requests: 2, failures: 2, itemsWritten: 0 });
    expect(errors).toEqual({ DYNAMO_CONDITIONAL_CHECK_FAILED: 1, DYNAMO_RESOURCE_NOT_FOUND: 1 });
    expect(byTable["absent-table"]).toMatchObject({ failures: 1 });
  });

  it("counts equal calls equally, and returns the difference between two snapshots", async () => {
    const { port, meter } = metered(raw, { capacity: true });
    const work = async () => {
      await port.putItem({ TableName: first, Item: id("same") });
      await port.getItem({ TableName: first, Key: id("same") });
    };
    await work();
    const once = meter.snapshot();
    await work();
    await port.deleteItem({ TableName: second, Key: id("same") });
    const between = meterDifference(meter.snapshot(), once);
    expect(between.byOperation.PutItem).toEqual(once.byOperation.PutItem);
    expect(between.byTable[first]).toEqual(once.byTable[first]);
    expect(Object.keys(between.byTable)).toEqual([first, second]);
    expect(once.total.requests).toBe(2);
    meter.reset();
    await work();
    expect(meter.snapshot()).toEqual(once);
  });
});
