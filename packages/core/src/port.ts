import type { TablekeepError } from "./error.ts";
import type { InputOf, OperationName, OutputOf } from "./operations/operations.ts";
import { operationNames } from "./operations/traits.ts";

/** What every call of a port takes beside its input. */
export interface CallOptions {
  /** Ends the call early. The error is then of kind `aborted`; a write that was under way may have been applied. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the call ends, retries included. @default the port's own, 10,000 */
  readonly deadlineMs?: number | undefined;
  /**
   * Whether this write may be sent again after its response was lost. `true`: applying it twice does no harm (an update
   * that only sets values, a statement). `false`: never resend it in doubt, for example an unconditional put or delete of
   * an item that other clients write too, because the second copy would overwrite what they wrote in between.
   * @default by operation: unconditional puts, deletes and batches are resent, updates and statements are not
   */
  readonly idempotent?: boolean | undefined;
  /** Lowers the port's own limit on attempts for this call. @default the port's `maxAttempts` */
  readonly maxAttempts?: number | undefined;
  /**
   * Told each time the port is about to send the request again: the number of the attempt (2 for the first retry) and
   * what the one before ended with, where the port knows. For meters, logs and traces. @default none
   */
  readonly onRetry?: ((attempt: number, reason?: TablekeepError) => void) | undefined;
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
  /** Takes tokens for one retry from the shared budget. Returns false, and takes none, if too few are left. */
  spend(tokens: number): boolean;
  /** Returns tokens to the budget after a success. */
  refund(tokens: number): void;
}

/**
 * DynamoDB, whoever answers: Amazon, a compatible server or the embedded engine. The API is DynamoDB's own.
 * A call that DynamoDB refuses rejects with a `DynamoError`; one that never got an answer with another
 * `TablekeepError`. In both, `ambiguous` tells whether a write may have been applied all the same.
 */
export interface DynamoPort extends AsyncDisposable {
  /** Reads one item by its key. */
  readonly getItem: Call<"GetItem">;
  /** Writes one whole item, replacing what was there. */
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
  /** Tells what a table looks like and in which state it is. */
  readonly describeTable: Call<"DescribeTable">;
  /** Deletes a table with all its items. */
  readonly deleteTable: Call<"DeleteTable">;
  /** Lists table names, one page. */
  readonly listTables: Call<"ListTables">;
  /** Switches expiry by an attribute on or off. */
  readonly updateTimeToLive: Call<"UpdateTimeToLive">;
  /** Tells which attribute expires items, if any. */
  readonly describeTimeToLive: Call<"DescribeTimeToLive">;
  /** Adds tags to a table. */
  readonly tagResource: Call<"TagResource">;
  /** Removes tags from a table. */
  readonly untagResource: Call<"UntagResource">;
  /** Lists the tags of a table, one page. */
  readonly listTagsOfResource: Call<"ListTagsOfResource">;
  /** Tells the capacity limits of the account. */
  readonly describeLimits: Call<"DescribeLimits">;
  /** Tells which endpoint to talk to. */
  readonly describeEndpoints: Call<"DescribeEndpoints">;
  /** Lists streams, one page. */
  readonly listStreams: Call<"ListStreams">;
  /** Tells the shards of a stream. */
  readonly describeStream: Call<"DescribeStream">;
  /** Gives a place in a shard to read from. */
  readonly getShardIterator: Call<"GetShardIterator">;
  /** Reads change records from a place in a shard. */
  readonly getRecords: Call<"GetRecords">;
  /**
   * Whether BatchWriteItem writes everything or nothing, which DynamoDB itself does not promise. A wrapper has it only if it
   * says so; who goes by it must have another way. @default false
   */
  readonly atomicBatches?: boolean | undefined;
  /** Retry limits that operations built on this port share. @default none: they retry until their deadline */
  readonly retryLimits?: RetryLimits | undefined;
  /** Ends the port once its calls under way have ended. May be called twice; later calls reject with kind `closed`. */
  close(): Promise<void>;
}

/** Answers any operation: what a port is built from, and what a wrapper stands in front of. */
export type Dispatch = <Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  options: CallOptions,
) => Promise<OutputOf<Name>>;

/** `PutItem` → `putItem`, computed once: this is on the path of every call. */
const methodNames = Object.fromEntries(
  operationNames.map((name) => [name, name.charAt(0).toLowerCase() + name.slice(1)]),
) as Record<OperationName, keyof DynamoPort & string>;

/** A port whose every method goes to `dispatch`. */
export function buildPort(dispatch: Dispatch, close: () => Promise<void>): DynamoPort {
  const methods: Record<string, unknown> = {};
  for (const operation of operationNames) {
    methods[methodNames[operation]] = (input: never, options: CallOptions = {}) =>
      dispatch(operation, input, options);
  }
  // The loop above sets every method of the interface; `operationNames` is checked against it by type.
  return { ...methods, close, [Symbol.asyncDispose]: close } as unknown as DynamoPort;
}

/** Stands between a caller and a port: sees each call, and decides what to pass on. */
export type Interceptor = <Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  options: CallOptions,
  next: Dispatch,
) => Promise<OutputOf<Name>>;

/** A port that sends every call of `port` through `intercept`, under the same retry limits. Closing it closes `port`. */
export function wrapPort(port: DynamoPort, intercept: Interceptor): DynamoPort {
  const next = dispatchTo(port);
  const wrapped = buildPort(
    (operation, input, options) => intercept(operation, input, options, next),
    () => port.close(),
  );
  return port.retryLimits === undefined ? wrapped : { ...wrapped, retryLimits: port.retryLimits };
}

/** The methods of `port` as one function. */
export function dispatchTo(port: DynamoPort): Dispatch {
  const methods = port as unknown as Record<string, (input: unknown, options: CallOptions) => Promise<never>>;
  return (operation, input, options) => {
    const method = methods[methodNames[operation]];
    if (method === undefined) throw new TypeError(`the port has no operation ${operation}`);
    return method.call(port, input, options);
  };
}
