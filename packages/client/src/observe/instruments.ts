import type { Attributes, Meter } from "@opentelemetry/api";
import { type AnswerFields, consumed, returnedItems } from "./span-attributes.ts";

/** The metrics of a port. */
export interface Instruments {
  /** Records one call that has ended. `output` is undefined where it failed. */
  record(call: {
    attributes: Attributes;
    seconds: number;
    retries: number;
    output?: object | undefined;
  }): void;
}

/**
 * The histograms that OpenTelemetry's conventions define for database clients, with the buckets they advise, and two
 * counters of ours for what they do not cover.
 */
export function createInstruments(meter: Meter): Instruments {
  const duration = meter.createHistogram("db.client.operation.duration", {
    unit: "s",
    description: "Duration of database client operations.",
    advice: { explicitBucketBoundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] },
  });
  const rows = meter.createHistogram("db.client.response.returned_rows", {
    unit: "{row}",
    description: "The actual number of records returned by the database operation.",
    advice: { explicitBucketBoundaries: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000] },
  });
  const retried = meter.createCounter("tablekeep.dynamodb.retries", {
    unit: "{retry}",
    description: "How often requests to DynamoDB were sent again.",
  });
  const capacity = meter.createCounter("tablekeep.dynamodb.consumed_capacity", {
    unit: "{capacity_unit}",
    description: "Capacity that DynamoDB reported as consumed.",
  });
  return {
    record({ attributes, seconds, retries, output }) {
      duration.record(seconds, attributes);
      if (retries > 0) retried.add(retries, attributes);
      if (output === undefined) return;
      const returned = returnedItems(output);
      if (returned !== undefined) rows.record(returned, attributes);
      for (const { TableName, CapacityUnits = 0 } of consumed((output as AnswerFields).ConsumedCapacity)) {
        capacity.add(CapacityUnits, { ...attributes, ...(TableName && { "db.collection.name": TableName }) });
      }
    },
  };
}
