import type { Clock } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { isOnItems, tablesIn } from "../operations/operation-traits.ts";
import { refusal } from "../values/dynamo-errors.ts";

const statuses = { CreateTable: "CREATING", UpdateTable: "UPDATING", DeleteTable: "DELETING" } as const;
const words = { CREATING: "created", UPDATING: "updated", DELETING: "deleted" } as const;

interface TableChange {
  readonly status: keyof typeof words;
  readonly until: number;
  /** As the request that began it answered. */
  readonly description: object;
}

/** Tables take time to be created, changed and deleted. What is stored changes at once; what callers see does not. */
export class TableChanges {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #underWay = new Map<string, TableChange>();

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Throws DynamoDB's refusal of a request that a change under way forbids; answers for a table that is being deleted. */
  before(operation: string, input: unknown): Answer | undefined {
    for (const table of tablesIn(input)) {
      const change = this.#changeOf(table);
      if (change === undefined) continue;
      if (operation === "DescribeTable" && change.status === "DELETING") {
        return { Table: { ...change.description, TableStatus: change.status } };
      }
      if (change.status === "CREATING" && isOnItems(operation)) {
        throw refusal("ResourceNotFoundException", "Requested resource not found");
      }
      if (operation === "UpdateTable" || operation === "DeleteTable" || operation === "CreateTable") {
        throw refusal(
          "ResourceInUseException",
          `Attempt to change a resource which is still in use: Table is being ${words[change.status]}: ${table}`,
        );
      }
    }
    return undefined;
  }

  /** The answer as callers see it while a change is under way. */
  after(operation: string, input: unknown, answer: Answer): Answer {
    const [table] = tablesIn(input);
    if (table === undefined) return answer;
    if (Object.hasOwn(statuses, operation)) {
      const status = statuses[operation as keyof typeof statuses];
      const description = { ...(answer["TableDescription"] as object), TableStatus: status };
      this.#underWay.set(table, { status, description, until: this.#clock.monotonic() + this.#ms });
      return { ...answer, TableDescription: description };
    }
    const change = operation === "DescribeTable" ? this.#changeOf(table) : undefined;
    if (change === undefined) return answer;
    return { ...answer, Table: { ...(answer["Table"] as object), TableStatus: change.status } };
  }

  /** Forgets all changes under way. */
  forget(): void {
    this.#underWay.clear();
  }

  #changeOf(table: string): TableChange | undefined {
    const change = this.#underWay.get(table);
    if (change === undefined || change.until > this.#clock.monotonic()) return change;
    this.#underWay.delete(table);
    return undefined;
  }
}
