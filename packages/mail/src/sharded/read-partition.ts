import { queryPages } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import type { MailCall, MailContext } from "../mail-context.ts";

/** Which items of a partition, and how. */
export interface PartitionRange {
  /** Only ids below this. */
  readonly before?: string | undefined;
  /** Only ids from this on. */
  readonly from?: string | undefined;
  /** @default "newest" */
  readonly first?: "newest" | "oldest";
  /** Items of one request. @default as many as fit */
  readonly pageSize?: number | undefined;
  /** Whether what was just written must be seen. @default true */
  readonly consistent?: boolean;
}

/** The items of a partition, page by page. */
export async function* readPartition(
  { port, table }: MailContext,
  partition: string,
  range: PartitionRange,
  call: MailCall,
): AsyncGenerator<readonly Item[], void, undefined> {
  const { before = "~", from = "", pageSize } = range;
  const input = {
    TableName: table,
    KeyConditionExpression:
      from === "" ? "pk = :pk AND sk < :before" : "pk = :pk AND sk BETWEEN :from AND :before",
    ExpressionAttributeValues: {
      ":pk": { S: partition },
      ":before": { S: before },
      ...(from !== "" && { ":from": { S: from } }),
    },
    ScanIndexForward: range.first === "oldest",
    ConsistentRead: range.consistent ?? true,
    ...(pageSize !== undefined && { Limit: pageSize }),
  };
  for await (const { Items } of queryPages(port, input, call))
    yield (Items ?? []).filter((item) => item["sk"]?.S !== before);
}
