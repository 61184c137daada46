import { DynamoError, mayWrite, type OperationName, operationTraits } from "@tablekeep/core";
import { type AwsLocation, tableArn } from "../catalog/describe-table.ts";
import type { ThrottlingException, ThrottlingRule, ValueOrRange } from "./behavior-options.ts";
import { isOnItems, requestTables } from "./request-tables.ts";
import type { SimulatedChance } from "./simulated-chance.ts";

export const throttlingMessages: Record<ThrottlingException, string> = {
  ProvisionedThroughputExceededException:
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.",
  ThrottlingException:
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly.",
  RequestLimitExceeded: "Throughput exceeds the current throughput limit for your account.",
};

/** Rejects the requests that match its rules. */
export class Throttling {
  readonly #rules: { readonly rule: ThrottlingRule; readonly purpose: string; seen: number }[];
  readonly #random: SimulatedChance;

  constructor(rules: readonly ThrottlingRule[], random: SimulatedChance) {
    this.#rules = rules.map((rule, at) => ({ rule, purpose: `throttling ${at}`, seen: 0 }));
    this.#random = random;
  }

  /** Throws if a rule applies to the request. */
  check(location: AwsLocation, operation: OperationName, input: unknown): void {
    const tables = requestTables(operation, input);
    for (const state of this.#rules) {
      const { rule, purpose } = state;
      if (!applies(rule, operation, tables)) continue;
      state.seen++;
      if (!within(rule.requests, state.seen)) continue;
      if (rule.probability !== undefined && this.#random.next(purpose) >= rule.probability) continue;
      throw throttlingError(location, { operation, tables, isRead: !mayWrite(operation, input) }, rule);
    }
  }
}

function applies(rule: ThrottlingRule, operation: OperationName, tables: readonly string[]): boolean {
  if (rule.table !== undefined && !tables.includes(rule.table)) return false;
  return rule.operations?.includes(operation) ?? isOnItems(operation);
}

function within(range: ValueOrRange | undefined, number: number): boolean {
  if (range === undefined) return true;
  return typeof range === "number" ? number === range : number >= range[0] && number <= range[1];
}

interface ThrottledRequest {
  readonly operation: OperationName;
  readonly tables: readonly string[];
  readonly isRead: boolean;
}

function throttlingError(
  location: AwsLocation,
  request: ThrottledRequest,
  rule: ThrottlingRule,
): DynamoError {
  const { operation, tables } = request;
  const exception = rule.exception ?? "ProvisionedThroughputExceededException";
  const table = rule.table ?? tables[0];
  const reason = rule.reason ?? `Table${request.isRead ? "Read" : "Write"}ProvisionedThroughputExceeded`;
  const resource = table === undefined ? undefined : tableArn(location, table);
  if (!operationTraits[operation].transaction) {
    return new DynamoError({
      exception,
      serviceMessage: throttlingMessages[exception],
      throttlingReasons: [{ reason, ...(resource !== undefined && { resource }) }],
    });
  }
  const code =
    exception === "ProvisionedThroughputExceededException"
      ? "ProvisionedThroughputExceeded"
      : "ThrottlingError";
  const codes = tables.map((each) => (each === table ? code : "None"));
  return new DynamoError({
    exception: "TransactionCanceledException",
    serviceMessage: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(", ")}]`,
    cancellationReasons: codes.map((Code) =>
      Code === "None" ? { Code } : { Code, Message: throttlingMessages[exception] },
    ),
  });
}
