import type { TablekeepError } from "./error.ts";
import type { InputOf, OperationName, OutputOf } from "./operations/operations.ts";
import { operationNames } from "./operations/traits.ts";
import type { Item } from "./values/attribute-value.ts";

/** Options of every call of a port. */
export interface CallOptions {
  /** Ends the call early. The error is then of kind `aborted`; a write in flight may have been applied. */
  readonly signal?: AbortSignal;
  /** Milliseconds until the call ends, including retries. @default the port's own, 10,000 */
  readonly deadlineMs?: number;
  /**
   * Whether this write may be sent again after its response was lost. `true`: applying it twice does no harm (an update
   * that only sets values, a statement). `false`: never resend it in doubt, for example an unconditional put or delete of
   * an item that other clients write too, because the second copy would overwrite what they wrote in between.
   * @default by operation: unconditional puts, deletes and batches are resent, updates and statements are not
   */
  readonly idempotent?: boolean;
  /** Lowers the port's own limit on attempts for this call. @default the port's `maxAttempts` */
  readonly maxAttempts?: number;
  /**
   * Called each time the port is about to send the request again, with the number of the attempt (2 for the first retry) and
   * the error of the previous one, if the port knows it. For meters, logs and traces. @default none
   */
  readonly onRetry?: (attempt: number, reason?: TablekeepError) => void;
}

/** One operation of the port as a function. */
export type Call<Name extends OperationName> = (
  input: InputOf<Name>,
  options?: CallOptions,
) => Promise<OutputOf<Name>>;

/**
 * The retry limits of a port. Its calls share them, and so do the operations that resend requests on top of it: one budget
 * bounds all attempts.
 */
export interface RetryLimits {
  /** Maximum number of times that one request is sent. */
  readonly maxAttempts: number;
  /** Takes tokens for one retry from the shared budget. Returns false and takes none if there are too few. */
  spend(tokens: number): boolean;
  /** Returns tokens to the budget after a success. */
  refund(tokens: number): void;
}

/** A change to an item at the moment of its commit, as the table's stream shows it. */
export interface CommittedChange {
  readonly kind: "insert" | "modify" | "remove";
  /** The sequence number of its record. Those of a stream have no gaps. */
  readonly sequence: bigint;
  readonly shard: string;
  /** When it was made, in milliseconds, rounded down to a second. */
  readonly createdAt: number;
  /** Returns the item after the change, for reading only; undefined if it was removed, or if the stream does not show it. */
  image(): Readonly<Item> | undefined;
  /** Returns the item before the change, for reading only; undefined if there was none, or if the stream does not show it. */
  before(): Readonly<Item> | undefined;
}

/**
 * DynamoDB, whatever the backend: Amazon, a compatible server or the embedded engine. The API is DynamoDB's own. A request
 * that DynamoDB rejects throws a `DynamoError`, one without a response another `TablekeepError`. `ambiguous` of both says
 * whether a write may have been applied.
 */
export interface DynamoPort extends AsyncDisposable {
  /** Reads one item by its key. */
  readonly getItem: Call<"GetItem">;
  /** Writes one whole item. Replaces an existing one. */
  readonly putItem: Call<"PutItem">;
  /** Changes attributes of one item, creating it where absent. */
  readonly updateItem: Call<"UpdateItem">;
  /** Removes one item. */
  readonly deleteItem: Call<"DeleteItem">;
  /** Reads one page of the items of one partition, in key order. */
  readonly query: Call<"Query">;
  /** Reads one page of a table or of a segment of it. */
  readonly scan: Call<"Scan">;
  /** Reads up to 100 items by key; some may come back unprocessed. */
  readonly batchGetItem: Call<"BatchGetItem">;
  /** Puts and deletes up to 25 items, each on its own; some may come back unprocessed. */
  readonly batchWriteItem: Call<"BatchWriteItem">;
  /** Reads up to 100 items as of one moment. */
  readonly transactGetItems: Call<"TransactGetItems">;
  /** Writes up to 100 items, all or none. */
  readonly transactWriteItems: Call<"TransactWriteItems">;
  /** Runs one PartiQL statement. */
  readonly executeStatement: Call<"ExecuteStatement">;
  /** Runs up to 25 PartiQL statements, each on its own. */
  readonly batchExecuteStatement: Call<"BatchExecuteStatement">;
  /** Runs PartiQL statements, all or none. */
  readonly executeTransaction: Call<"ExecuteTransaction">;
  /** Creates a table; it can be used once it is ACTIVE. */
  readonly createTable: Call<"CreateTable">;
  /** Changes throughput, stream, indexes or protection of a table. */
  readonly updateTable: Call<"UpdateTable">;
  /** Returns the description and the status of a table. */
  readonly describeTable: Call<"DescribeTable">;
  /** Deletes a table with all its items. */
  readonly deleteTable: Call<"DeleteTable">;
  /** Lists table names, one page. */
  readonly listTables: Call<"ListTables">;
  /** Enables or disables expiry by an attribute. */
  readonly updateTimeToLive: Call<"UpdateTimeToLive">;
  /** Returns the attribute that expires items, if any. */
  readonly describeTimeToLive: Call<"DescribeTimeToLive">;
  /** Adds tags to a table. */
  readonly tagResource: Call<"TagResource">;
  /** Removes tags from a table. */
  readonly untagResource: Call<"UntagResource">;
  /** Lists the tags of a table, one page. */
  readonly listTagsOfResource: Call<"ListTagsOfResource">;
  /** Returns the capacity limits of the account. */
  readonly describeLimits: Call<"DescribeLimits">;
  /** Returns the endpoint to send requests to. */
  readonly describeEndpoints: Call<"DescribeEndpoints">;
  /** Lists streams, one page. */
  readonly listStreams: Call<"ListStreams">;
  /** Returns the shards of a stream. */
  readonly describeStream: Call<"DescribeStream">;
  /** Returns a position in a shard to read from. */
  readonly getShardIterator: Call<"GetShardIterator">;
  /** Reads change records from a position in a shard. */
  readonly getRecords: Call<"GetRecords">;
  /**
   * BatchWriteItem writes everything or nothing, which DynamoDB itself does not guarantee. Wrappers must opt in; callers need a
   * fallback. @default false
   */
  readonly atomicBatches?: boolean;
  /**
   * Reports each change to a table with an enabled stream, in the order of the stream, once it is durable and before the writer is notified. Returns a
   * function that stops it. Only a backend in this process has it; wrappers must opt in, and callers need a fallback. The listener must be fast,
   * and must not throw. `restored` is called when the backend has returned to an earlier state: changes that were
   * reported may be gone, and their numbers are used again. @default absent
   */
  readonly watchStream?: (
    streamArn: string,
    listener: (change: CommittedChange) => void,
    restored?: () => void,
  ) => () => void;
  /**
   * Returns by how many milliseconds the server's clock is ahead of this machine's, according to its latest response; undefined before the first.
   * Only ports to other machines have it. @default absent
   */
  readonly serverOffsetMs?: () => number | undefined;
  /** Retry limits that operations built on this port share. @default none: they retry until their deadline */
  readonly retryLimits?: RetryLimits;
  /**
   * Closes the port once the calls in flight have ended. May be called twice; later calls throw with kind `closed`.
   *
   * @example
   * await port.close();
   */
  close(): Promise<void>;
}

/** Answers any operation. A port is built from one, and a wrapper is one in front of another. */
export type Dispatch = <Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  options: CallOptions,
) => Promise<OutputOf<Name>>;

/** `PutItem` → `putItem`, computed once: this is on the path of every call. */
const methodNames = Object.fromEntries(
  operationNames.map((name) => [name, name.charAt(0).toLowerCase() + name.slice(1)]),
) as Record<OperationName, keyof DynamoPort & string>;

/**
 * Builds a port whose every method calls `dispatch`.
 *
 * @example
 * const port = buildPort(async (operation) => { throw new Error(`${operation} is not supported`); }, async () => {});
 */
export function buildPort(dispatch: Dispatch, close: () => Promise<void>): DynamoPort {
  const methods: Record<string, unknown> = {};
  for (const operation of operationNames) {
    methods[methodNames[operation]] = (input: never, options: CallOptions = {}) =>
      dispatch(operation, input, options);
  }
  // The loop above sets every method of the interface; `operationNames` is checked against it by type.
  return { ...methods, close, [Symbol.asyncDispose]: close } as unknown as DynamoPort;
}

/** Receives each call to a wrapped port, and decides what to pass on to `next`. */
export type Interceptor = <Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  options: CallOptions,
  next: Dispatch,
) => Promise<OutputOf<Name>>;

/**
 * Wraps `port` so that every call goes through `intercept`, under the same retry limits and with the same server's time. Closing the wrapper closes `port`.
 *
 * @example
 * const counted = wrapPort(port, (operation, input, options, next) => {
 *   requests += 1;
 *   return next(operation, input, options);
 * });
 */
export function wrapPort(port: DynamoPort, intercept: Interceptor): DynamoPort {
  const next = dispatchTo(port);
  const wrapped = buildPort(
    (operation, input, options) => intercept(operation, input, options, next),
    () => port.close(),
  );
  const { retryLimits, serverOffsetMs } = port;
  return {
    ...wrapped,
    ...(retryLimits !== undefined && { retryLimits }),
    ...(serverOffsetMs !== undefined && { serverOffsetMs }),
  };
}

/**
 * Returns the methods of `port` as one function.
 *
 * @example
 * const { Item } = await dispatchTo(port)("GetItem", { TableName: "t", Key: { pk: { S: "a" } } }, {});
 */
export function dispatchTo(port: DynamoPort): Dispatch {
  const methods = port as unknown as Record<string, (input: unknown, options: CallOptions) => Promise<never>>;
  return (operation, input, options) => {
    const method = methods[methodNames[operation]];
    if (method === undefined) throw new TypeError(`port has no operation ${operation}`);
    return method.call(port, input, options);
  };
}
