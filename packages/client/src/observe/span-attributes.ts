import type { Attributes } from "@opentelemetry/api";
import {
  type ConsumedCapacity,
  type InputOf,
  isDynamoError,
  isTablekeepError,
  type OperationName,
  tablesOf,
} from "@tablekeep/core";

/**
 * The attributes of a call by OpenTelemetry's semantic conventions for database clients and for DynamoDB. Names of
 * tables and indexes, counts and settings only: never keys, items, expressions or statements.
 */
export function requestAttributes<Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
): Attributes {
  const tables = tablesOf(operation, input);
  const fields = input as RequestFields;
  return defined({
    "db.system.name": "aws.dynamodb",
    "db.operation.name": operation,
    "db.collection.name": tables.length === 1 ? tables[0] : undefined,
    "db.operation.batch.size": batchSize(fields),
    "aws.dynamodb.table_names": tables.length > 0 ? [...tables] : undefined,
    "aws.dynamodb.index_name": fields.IndexName,
    "aws.dynamodb.consistent_read": fields.ConsistentRead,
    "aws.dynamodb.limit": fields.Limit,
    "aws.dynamodb.select": fields.Select,
    "aws.dynamodb.scan_forward": fields.ScanIndexForward,
    "aws.dynamodb.segment": fields.Segment,
    "aws.dynamodb.total_segments": fields.TotalSegments,
  });
}

/** The attributes of the response. */
export function answerAttributes(output: object): Attributes {
  const fields = output as AnswerFields;
  return defined({
    "aws.dynamodb.count": fields.Count,
    "aws.dynamodb.scanned_count": fields.ScannedCount,
    "aws.dynamodb.consumed_capacity":
      fields.ConsumedCapacity &&
      consumed(fields.ConsumedCapacity).map((capacity) => JSON.stringify(capacity)),
    "db.response.returned_rows": returnedItems(output),
  });
}

/** The attributes of a failure. The message is left out: DynamoDB may quote a value in it. */
export function errorAttributes(error: unknown): Attributes {
  return defined({
    ...errorType(error),
    "aws.request_id": isDynamoError(error) ? error.details.requestId : undefined,
    "tablekeep.ambiguous": isTablekeepError(error) && error.ambiguous ? true : undefined,
  });
}

/** The part of it that metrics have as well. */
export function errorType(error: unknown): Attributes {
  if (isDynamoError(error)) {
    return { "error.type": error.details.exception, "db.response.status_code": error.details.exception };
  }
  return { "error.type": isTablekeepError(error) ? error.code : "_OTHER" };
}

/** The capacity that a response reports, if any. */
export function consumed(capacity: AnswerFields["ConsumedCapacity"]): readonly ConsumedCapacity[] {
  return capacity === undefined ? [] : [capacity].flat();
}

/** How many items a response holds or has counted; undefined if it is not a response to a read. */
export function returnedItems(output: object): number | undefined {
  const { Count, Items, Responses } = output as AnswerFields;
  if (Count !== undefined) return Count;
  if (Items !== undefined) return Items.length;
  if (Responses === undefined) return undefined;
  if (Array.isArray(Responses))
    return Responses.filter(({ Item }: { Item?: unknown }) => Item !== undefined).length;
  return Object.values(Responses).reduce((sum, items) => sum + items.length, 0);
}

interface RequestFields {
  readonly IndexName?: string;
  readonly ConsistentRead?: boolean;
  readonly Limit?: number;
  readonly Select?: string;
  readonly ScanIndexForward?: boolean;
  readonly Segment?: number;
  readonly TotalSegments?: number;
  readonly RequestItems?: Readonly<Record<string, readonly unknown[] | { Keys?: readonly unknown[] }>>;
  readonly TransactItems?: readonly unknown[];
  readonly Statements?: readonly unknown[];
  readonly TransactStatements?: readonly unknown[];
}

/** The fields of responses that contain amounts. */
export interface AnswerFields {
  readonly Count?: number;
  readonly ScannedCount?: number;
  readonly Items?: readonly unknown[];
  readonly Responses?: readonly { Item?: unknown }[] | Readonly<Record<string, readonly unknown[]>>;
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
}

/** The conventions define no size for a single operation. */
function batchSize(fields: RequestFields): number | undefined {
  const list = fields.TransactItems ?? fields.Statements ?? fields.TransactStatements;
  const size = list?.length ?? requestedItems(fields.RequestItems);
  return size === undefined || size < 2 ? undefined : size;
}

function requestedItems(requests: RequestFields["RequestItems"]): number | undefined {
  if (requests === undefined) return undefined;
  const sizes = Object.values(requests).map(
    (each) => ("Keys" in each ? each.Keys : (each as readonly unknown[]))?.length,
  );
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0);
}

function defined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
