import { DynamoError } from "@tablekeep/core";
import { type Place, tableArn } from "../catalog/table-description.ts";
import { isOnItems, isRead, tablesIn } from "../operations/operation-traits.ts";
import type { ThrottlingException, ThrottlingRule, ValueOrRange } from "./behaviour-options.ts";
import type { Chance } from "./seeded-random.ts";

const messages: Record<ThrottlingException, string> = {
  ProvisionedThroughputExceededException:
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.",
  ThrottlingException:
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly.",
  RequestLimitExceeded: "Throughput exceeds the current throughput limit for your account.",
};

/** Refuses the requests that its rules name. */
export class Throttling {
  readonly #rules: { readonly rule: ThrottlingRule; readonly purpose: string; seen: number }[];
  readonly #chance: Chance;

  constructor(rules: readonly ThrottlingRule[], chance: Chance) {
    this.#rules = rules.map((rule, at) => ({ rule, purpose: `throttling ${at}`, seen: 0 }));
    this.#chance = chance;
  }

  /** Throws if a rule applies to the request. */
  check(place: Place, operation: string, input: unknown): void {
    const tables = tablesIn(input);
    for (const state of this.#rules) {
      const { rule, purpose } = state;
      if (!allows(rule, operation, tables)) continue;
      state.seen++;
      if (!within(rule.requests, state.seen)) continue;
      if (rule.probability !== undefined && this.#chance.next(purpose) >= rule.probability) continue;
      throw throttled(place, { operation, tables, isRead: isRead(operation, input) }, rule);
    }
  }
}

function allows(rule: ThrottlingRule, operation: string, tables: readonly string[]): boolean {
  if (rule.table !== undefined && !tables.includes(rule.table)) return false;
  const operations: readonly string[] | undefined = rule.operations;
  return operations?.includes(operation) ?? isOnItems(operation);
}

function within(range: ValueOrRange | undefined, number: number): boolean {
  if (range === undefined) return true;
  return typeof range === "number" ? number === range : number >= range[0] && number <= range[1];
}

interface Throttled {
  readonly operation: string;
  readonly tables: readonly string[];
  readonly isRead: boolean;
}

function throttled(place: Place, request: Throttled, rule: ThrottlingRule): DynamoError {
  const { operation, tables } = request;
  const exception = rule.exception ?? "ProvisionedThroughputExceededException";
  const table = rule.table ?? tables[0];
  const reason = rule.reason ?? `Table${request.isRead ? "Read" : "Write"}ProvisionedThroughputExceeded`;
  const resource = table === undefined ? undefined : tableArn(place, table);
  if (!operation.startsWith("Transact") && operation !== "ExecuteTransaction") {
    return new DynamoError({
      exception,
      serviceMessage: messages[exception],
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
      Code === "None" ? { Code } : { Code, Message: messages[exception] },
    ),
  });
}
