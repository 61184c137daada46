import type { Attributes, Meter, Span, SpanKind, SpanStatusCode, Tracer } from "@opentelemetry/api";
import {
  type CallOptions,
  type Clock,
  checkPort,
  type DynamoPort,
  optionCheck,
  systemClock,
  wrapPort,
} from "@tablekeep/core";
import { checkOptions, optionInvalid, serverUrl } from "../base/check-options.ts";
import { observeCall } from "./observe-call.ts";
import {
  type AnswerFields,
  answerAttributes,
  consumed,
  errorAttributes,
  errorType,
  requestAttributes,
  returnedItems,
} from "./span-attributes.ts";

/** Options of {@link traced}. */
export interface TracedOptions {
  /** Receives spans, such as `trace.getTracer("shop")` of `@opentelemetry/api`. @default no spans */
  readonly tracer?: Tracer;
  /** Receives metrics, such as `metrics.getMeter("shop")`. @default no metrics */
  readonly meter?: Meter;
  /** The URL of the server, for `server.address` and `server.port`. @default neither is set */
  readonly endpoint?: string;
  /** @default the machine's own */
  readonly clock?: Clock;
}

// The values of OpenTelemetry's enums: the package itself is never loaded, its types are all that is used.
const client = 2 satisfies SpanKind.CLIENT;
const failed = 2 satisfies SpanStatusCode.ERROR;

/**
 * Records one span and one set of measurements per call, by OpenTelemetry's conventions for database clients. A call that is
 * retried within the port is one span. Keys, items, expressions and messages are never recorded. With neither tracer nor
 * meter, returns the port itself.
 *
 * @example
 * const port = traced(connect(), { tracer: trace.getTracer("shop"), meter: metrics.getMeter("shop") });
 */
export function traced(port: DynamoPort, options: TracedOptions): DynamoPort {
  checkPort(port, optionInvalid);
  checkOptions(options, {
    tracer: optionCheck.objectWith("startActiveSpan"),
    meter: optionCheck.objectWith("createHistogram", "createCounter"),
    endpoint: serverUrl({ credentials: false }),
    clock: optionCheck.clock,
  });
  const { tracer, meter, clock = systemClock } = options;
  if (tracer === undefined && meter === undefined) return port;
  const instruments = meter && createInstruments(meter);
  const server = serverAttributes(options.endpoint);
  return wrapPort(port, (operation, input, callOptions, next) => {
    const attributes = { ...requestAttributes(operation, input), ...server };
    const call = { attributes, options: callOptions, clock, instruments };
    const run = (span?: Span) => recordCall(call, (watched) => next(operation, input, watched), span);
    const table = attributes["db.collection.name"];
    const name = table === undefined ? operation : `${operation} ${table}`;
    return tracer === undefined ? run() : tracer.startActiveSpan(name, { kind: client, attributes }, run);
  });
}

interface ObservedCall {
  readonly attributes: Attributes;
  readonly options: CallOptions;
  readonly clock: Clock;
  readonly instruments: Instruments | undefined;
}

/** Sends a call, and records its result in span and instruments. */
function recordCall<Output extends object>(
  { attributes, options, clock, instruments }: ObservedCall,
  send: (options: CallOptions) => Promise<Output>,
  span: Span | undefined,
): Promise<Output> {
  const startedAt = clock.monotonic();
  const end = (retries: number, more: Attributes, output?: object) => {
    const seconds = (clock.monotonic() - startedAt) / 1000;
    instruments?.record({ attributes: { ...measured(attributes), ...more }, seconds, retries, output });
    if (retries > 0) span?.setAttribute("tablekeep.attempts", retries + 1);
    span?.end();
  };
  return observeCall(options, send, {
    onSuccess: (output, retries) => {
      span?.setAttributes(answerAttributes(output));
      end(retries, {}, output);
    },
    onFailure: (error, retries) => {
      span?.setStatus({ code: failed });
      span?.setAttributes(errorAttributes(error));
      end(retries, errorType(error));
    },
  });
}

const measuredNames: readonly string[] = [
  "db.system.name",
  "db.operation.name",
  "db.collection.name",
  "server.address",
  "server.port",
];

/** Metrics have few attributes: each combination of values is a separate series. */
function measured(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => measuredNames.includes(name)));
}

function serverAttributes(endpoint: string | undefined): Attributes {
  if (endpoint === undefined) return {};
  const { hostname, port } = new URL(endpoint);
  return { "server.address": hostname, ...(port !== "" && { "server.port": Number(port) }) };
}

/** The metrics of a port. */
interface Instruments {
  /** Records one call that has ended. `output` is undefined where it failed. */
  record(call: { attributes: Attributes; seconds: number; retries: number; output?: object }): void;
}

/**
 * The histograms that OpenTelemetry's conventions define for database clients, with the buckets they advise, and two
 * counters of ours for what they do not cover.
 */
function createInstruments(meter: Meter): Instruments {
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
