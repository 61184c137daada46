import { randomUUID } from "node:crypto";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { DynamoError, type DynamoPort, wrapPort } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openPort } from "../../test/open-port.ts";
import { ensureTable } from "../tables/ensure-table.ts";
import { metered } from "./metered.ts";
import { traced } from "./traced.ts";

const endpoint = inject("dynamoDbLocal");
const canary = "canary-7d1f";

/** The real SDK of OpenTelemetry, exporting to memory. */
function startTelemetry() {
  const spans = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer(
    "test",
  );
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  const metrics = async () => {
    await provider.forceFlush();
    return exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  };
  return { spans: () => spans.getFinishedSpans(), tracer, meter: provider.getMeter("test"), metrics };
}

describe.skipIf(endpoint === "")("traced on DynamoDB Local", () => {
  const table = `traced-${randomUUID()}`;
  const item = { id: { S: canary }, secret: { S: canary } };
  let raw: DynamoPort;
  beforeAll(async () => {
    raw = openPort(endpoint);
    await ensureTable(raw, { name: table, partitionKey: { name: "id", type: "S" } });
  });
  afterAll(() => raw.close());

  it("makes one client span for each call, named and described by the conventions", async () => {
    const { tracer, spans } = startTelemetry();
    const port = traced(raw, { tracer, endpoint });
    await port.putItem({ TableName: table, Item: item });
    await port.scan({ TableName: table, Limit: 5, ReturnConsumedCapacity: "TOTAL" });
    const [put, scan] = spans();
    expect(put).toMatchObject({
      name: `PutItem ${table}`,
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        "db.system.name": "aws.dynamodb",
        "db.operation.name": "PutItem",
        "db.collection.name": table,
        "aws.dynamodb.table_names": [table],
        "server.address": "127.0.0.1",
        "server.port": Number(new URL(endpoint).port),
      },
    });
    expect(scan?.attributes).toMatchObject({
      "aws.dynamodb.limit": 5,
      "aws.dynamodb.count": 1,
      "aws.dynamodb.scanned_count": 1,
      "db.response.returned_rows": 1,
      "aws.dynamodb.consumed_capacity": [JSON.stringify({ TableName: table, CapacityUnits: 0.5 })],
    });
  });

  it("names all tables of a batch, and its size", async () => {
    const { tracer, spans } = startTelemetry();
    const Keys = [{ id: { S: canary } }, { id: { S: "other" } }];
    await traced(raw, { tracer }).batchGetItem({ RequestItems: { [table]: { Keys } } });
    expect(spans()[0]?.attributes).toMatchObject({
      "db.operation.batch.size": 2,
      "aws.dynamodb.table_names": [table],
      "db.response.returned_rows": 1,
    });
  });

  it("records the exception of a failure, and nothing about the item", async () => {
    const { tracer, spans } = startTelemetry();
    const port = traced(raw, { tracer });
    const rejected = port.putItem({
      TableName: table,
      Item: item,
      ConditionExpression: "attribute_not_exists(id)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    await expect(rejected).rejects.toMatchObject({ code: "DYNAMO_CONDITIONAL_CHECK_FAILED" });
    const wrong = port.putItem({ TableName: table, Item: { id: { N: canary } } });
    await expect(wrong).rejects.toMatchObject({ code: "DYNAMO_VALIDATION" });
    expect(spans().map(({ attributes }) => attributes["error.type"])).toEqual([
      "ConditionalCheckFailedException",
      "ValidationException",
    ]);
    expect(spans()[0]).toMatchObject({ status: { code: SpanStatusCode.ERROR }, events: [] });
    const told = spans().map(({ name, attributes, status, events }) => ({
      name,
      attributes,
      status,
      events,
    }));
    expect(JSON.stringify(told)).not.toContain(canary);
  });

  it("reports retries, and a write that may have been applied", async () => {
    const { tracer, spans, meter, metrics } = startTelemetry();
    const lossy = wrapPort(raw, async (operation, input, options, next) => {
      await next(operation, input, options);
      options.onRetry?.(2);
      throw new DynamoError({ exception: "InternalServerError", serviceMessage: "lost", operation });
    });
    await expect(
      traced(lossy, { tracer, meter }).putItem({ TableName: table, Item: item }),
    ).rejects.toThrow();
    expect(spans()[0]?.attributes).toMatchObject({
      "tablekeep.attempts": 2,
      "tablekeep.ambiguous": true,
      "error.type": "InternalServerError",
    });
    const retries = (await metrics()).find(
      ({ descriptor }) => descriptor.name === "tablekeep.dynamodb.retries",
    );
    expect(retries?.dataPoints[0]?.value).toBe(1);
  });

  it("measures durations, returned items and capacity by operation and table", async () => {
    const { meter, metrics } = startTelemetry();
    const port = metered(traced(raw, { meter }), { capacity: true }).port;
    await port.putItem({ TableName: table, Item: item });
    await port.scan({ TableName: table });
    await expect(port.getItem({ TableName: "absent-table", Key: item })).rejects.toThrow();
    const found = new Map((await metrics()).map((metric) => [metric.descriptor.name, metric]));
    const durations = found.get("db.client.operation.duration");
    expect(durations?.descriptor.unit).toBe("s");
    expect(durations?.dataPoints.map(({ attributes }) => attributes)).toEqual([
      { "db.system.name": "aws.dynamodb", "db.operation.name": "PutItem", "db.collection.name": table },
      { "db.system.name": "aws.dynamodb", "db.operation.name": "Scan", "db.collection.name": table },
      {
        "db.system.name": "aws.dynamodb",
        "db.operation.name": "GetItem",
        "db.collection.name": "absent-table",
        "error.type": "ResourceNotFoundException",
        "db.response.status_code": "ResourceNotFoundException",
      },
    ]);
    expect(durations?.dataPoints[0]?.value).toMatchObject({ count: 1 });
    expect(found.get("db.client.response.returned_rows")?.dataPoints[0]?.value).toMatchObject({ sum: 1 });
    const capacity = found.get("tablekeep.dynamodb.consumed_capacity")?.dataPoints;
    expect(capacity?.map(({ value }) => value)).toEqual([1, 0.5]);
  });

  it("is free when neither tracer nor meter is given", () => {
    expect(traced(raw, {})).toBe(raw);
  });
});
