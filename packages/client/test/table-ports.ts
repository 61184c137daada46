import { randomUUID } from "node:crypto";
import {
  DynamoError,
  type DynamoPort,
  type OperationName,
  type TableDescription,
  type Tag,
  wrapPort,
} from "@tablekeep/core";
import type { TableSpec } from "../src/tables/table-spec.ts";

/** A table with indexes, expiry, a stream and tags, under a unique name. */
export function journalSpec(): TableSpec {
  return {
    name: `journal-${randomUUID()}`,
    partitionKey: { name: "par", type: "S" },
    sortKey: { name: "num", type: "N" },
    localIndexes: [{ name: "by-time", sortKey: { name: "ts", type: "N" }, projection: ["pid", "tags"] }],
    globalIndexes: [
      { name: "by-tag", partitionKey: { name: "tag", type: "S" }, sortKey: { name: "ts", type: "N" } },
      { name: "by-writer", partitionKey: { name: "writer", type: "B" }, projection: "KEYS_ONLY" },
    ],
    ttlAttribute: "expires",
    stream: "NEW_AND_OLD_IMAGES",
    tags: { team: "storage", "cost:centre": "42 = all" },
  };
}

/** A port that records which tables were created through it. */
export interface TidyPort {
  readonly port: DynamoPort;
  /**
   * Deletes them. Each table that expires items keeps one of the ten threads with which DynamoDB Local expires items and
   * builds indexes: seven such tables, and no index is ever built again, in whichever test.
   */
  cleanUp(): Promise<void>;
}

export function tidyPort(below: DynamoPort): TidyPort {
  const made = new Set<string>();
  const port = wrapPort(below, (operation, input, options, next) => {
    if (operation === "CreateTable") made.add((input as { TableName: string }).TableName);
    return next(operation, input, options);
  });
  const cleanUp = async () => {
    for (const TableName of made) await below.deleteTable({ TableName });
    made.clear();
  };
  return { port, cleanUp };
}

const changing = /^(Create|Update|Delete|Tag|Untag)/;

/** Notes each request that changes a table. */
export function watching(port: DynamoPort, seen: string[]): DynamoPort {
  return wrapPort(port, (operation, input, options, next) => {
    if (changing.test(operation)) seen.push(operation);
    return next(operation, input, options);
  });
}

/** Does something before the first request of this operation is passed on. */
export function before(
  port: DynamoPort,
  name: OperationName,
  act: (input: unknown) => Promise<unknown>,
): DynamoPort {
  let done = false;
  return wrapPort(port, async (operation, input, options, next) => {
    if (operation === name && !done) {
      done = true;
      await act(input);
    }
    return next(operation, input, options);
  });
}

/** Passes no deadline on: for callers on a fake clock, whose milliseconds are not those of the port. */
export function withoutDeadlines(port: DynamoPort): DynamoPort {
  return wrapPort(port, (operation, input, _options, next) => next(operation, input, {}));
}

/** Keeps the tags of tables, which DynamoDB Local does not. */
export function keepingTags(port: DynamoPort): DynamoPort {
  const tags = new Map<string | undefined, Tag[]>();
  return wrapPort(port, async (operation, input, options, next) => {
    const { ResourceArn, Tags } = input as { ResourceArn?: string; Tags?: Tag[] };
    if (operation === "TagResource")
      tags.set(ResourceArn, [...(tags.get(ResourceArn) ?? []), ...(Tags ?? [])]);
    else if (operation !== "ListTagsOfResource") return next(operation, input, options);
    return { Tags: tags.get(ResourceArn) ?? [] } as never;
  });
}

/** Carries each of these operations out once and then loses the answer. */
export function losingAnswers(port: DynamoPort, operations: Set<string>): DynamoPort {
  return wrapPort(port, async (operation, input, options, next) => {
    const answer = await next(operation, input, options);
    if (!operations.delete(operation)) return answer;
    throw new DynamoError({ exception: "InternalServerError", serviceMessage: "lost", operation });
  });
}

/** Shows these statuses in turn, then the last one forever: DynamoDB Local is never slow. */
export function showing(
  port: DynamoPort,
  statuses: NonNullable<TableDescription["TableStatus"]>[],
): DynamoPort {
  let looks = 0;
  return wrapPort(port, async (operation, input, options, next) => {
    const answer = await next(operation, input, options);
    if (operation !== "DescribeTable") return answer;
    const TableStatus = statuses[Math.min(looks++, statuses.length - 1)];
    return { Table: { ...(answer as { Table: TableDescription }).Table, TableStatus } } as typeof answer;
  });
}

/** Shows the table as DELETING for this many reads, then deletes it. */
export function deletingAfter(port: DynamoPort, looks: number): DynamoPort {
  let left = looks;
  return wrapPort(port, async (operation, input, options, next) => {
    if (operation !== "DescribeTable" || left <= 0) return next(operation, input, options);
    const { Table } = await port.describeTable(input as { TableName: string });
    if (--left === 0) await port.deleteTable(input as { TableName: string });
    return { Table: { ...Table, TableStatus: "DELETING" } } as never;
  });
}
