import { checkPort, type DynamoPort, operationTraits, optionCheck, wrapPort } from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../base/check-options.ts";
import { failureCost, successCost } from "./call-cost.ts";
import { createMeter, type Meter } from "./meter.ts";
import { observeCall } from "./observe-call.ts";

/** Options of {@link metered}. */
export interface MeteredOptions {
  /**
   * Request the consumed capacity of every call. Callers that did not request it do not see it in their output.
   * @default false: only what callers request is counted
   */
  readonly capacity?: boolean;
}

/** A port that counts, and its counts. */
export interface MeteredPort {
  readonly port: DynamoPort;
  readonly meter: Meter;
}

/**
 * Counts requests, items, bytes, capacity, errors and retries of a port, by operation and by table. It uses no clock, so that
 * a test can assert what a piece of code costs.
 *
 * @example
 * const { port, meter } = metered(connect());
 * await work(port);
 * console.log(formatCost(meter.snapshot().total));
 */
export function metered(port: DynamoPort, options: MeteredOptions = {}): MeteredPort {
  checkPort(port, optionInvalid);
  checkOptions(options, { capacity: optionCheck.boolean });
  const { meter, count } = createMeter();
  const asks = options.capacity ?? false;
  const counting = wrapPort(port, async (operation, input, callOptions, next) => {
    const asked = (input as Capacity).ReturnConsumedCapacity;
    const ask =
      asks && operationTraits[operation].reportsCapacity && (asked === undefined || asked === "NONE");
    const sent = ask ? { ...input, ReturnConsumedCapacity: "TOTAL" as const } : input;
    const output = await observeCall(callOptions, (watched) => next(operation, sent, watched), {
      onSuccess: (answer, retries) => count(successCost(operation, input, answer, retries)),
      onFailure: (error, retries) => count(failureCost(operation, input, error, retries)),
    });
    return ask ? withoutCapacity(output) : output;
  });
  return { port: counting, meter };
}

interface Capacity {
  readonly ReturnConsumedCapacity?: string;
}

function withoutCapacity<Output extends object>(output: Output): Output {
  const { ConsumedCapacity: _, ...rest } = output as Output & { ConsumedCapacity?: unknown };
  return rest as Output;
}
