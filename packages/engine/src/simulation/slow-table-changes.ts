import type { Clock, OperationName } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { dynamoError } from "../values/dynamo-errors.ts";
import { isOnItems, requestTables } from "./request-tables.ts";

const statuses = { CreateTable: "CREATING", UpdateTable: "UPDATING", DeleteTable: "DELETING" } as const;
const statusVerbs = { CREATING: "created", UPDATING: "updated", DELETING: "deleted" } as const;

interface TableChange {
  readonly status: keyof typeof statusVerbs;
  readonly until: number;
  /** The answer of the request that started it. */
  readonly description: object;
}

/**
 * Makes the creation, change and deletion of tables take time. The stored tables change at once; what callers see
 * does not.
 */
export class SlowTableChanges {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #inProgress = new Map<string, TableChange>();

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /**
   * Throws DynamoDB's error for a request that a change in progress forbids; answers for a table that is being
   * deleted.
   */
  before(operation: OperationName, input: unknown): Answer | undefined {
    for (const table of requestTables(operation, input)) {
      const change = this.#changeOf(table);
      if (change === undefined) continue;
      if (operation === "DescribeTable" && change.status === "DELETING") {
        return { Table: { ...change.description, TableStatus: change.status } };
      }
      if (change.status === "CREATING" && isOnItems(operation)) {
        throw dynamoError("ResourceNotFoundException", "Requested resource not found");
      }
      if (operation === "UpdateTable" || operation === "DeleteTable" || operation === "CreateTable") {
        throw dynamoError(
          "ResourceInUseException",
          `Attempt to change a resource which is still in use: Table is being ${statusVerbs[change.status]}: ${table}`,
        );
      }
    }
    return undefined;
  }

  /** Returns the answer as callers see it while a change is in progress. */
  after(operation: OperationName, input: unknown, answer: Answer): Answer {
    const [table] = requestTables(operation, input);
    if (table === undefined) return answer;
    if (Object.hasOwn(statuses, operation)) {
      const status = statuses[operation as keyof typeof statuses];
      const description = { ...(answer["TableDescription"] as object), TableStatus: status };
      this.#inProgress.set(table, { status, description, until: this.#clock.monotonic() + this.#ms });
      return { ...answer, TableDescription: description };
    }
    const change = operation === "DescribeTable" ? this.#changeOf(table) : undefined;
    if (change === undefined) return answer;
    return { ...answer, Table: { ...(answer["Table"] as object), TableStatus: change.status } };
  }

  /** Ends all changes in progress. */
  clear(): void {
    this.#inProgress.clear();
  }

  #changeOf(table: string): TableChange | undefined {
    const change = this.#inProgress.get(table);
    if (change === undefined || change.until > this.#clock.monotonic()) return change;
    this.#inProgress.delete(table);
    return undefined;
  }
}
