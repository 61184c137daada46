import { randomUUID } from "node:crypto";
import {
  type CallOptions,
  DynamoError,
  type DynamoErrorDetails,
  type DynamoPort,
  dispatchTo,
  type InputOf,
  isDynamoError,
  isOperationName,
  isTablekeepError,
  type OperationName,
  operationTraits,
  type TablekeepError,
} from "@tablekeep/core";

/** Options of `client.send`. */
export interface SendOptions {
  readonly abortSignal?: AbortSignal;
  /** Milliseconds. */
  readonly requestTimeout?: number;
}

/** Answers a command of the SDK as its service would. */
export type AnswerCommand = (operation: string, input: object, options?: SendOptions) => Promise<object>;

/** Runs commands on a port. Copies inputs and outputs, so that none are shared with the caller. */
export function answerWith(
  port: DynamoPort,
  service: "dynamodb" | "streams",
  sdk: SdkExceptions,
): AnswerCommand {
  const dispatch = dispatchTo(port);
  return async (operation, input, options) => {
    try {
      if (!isOurs(operation, service)) throw unknownOperation(operation);
      const output = await dispatch(operation, toPort(operation, input), callOptions(options));
      const $metadata = {
        httpStatusCode: 200,
        requestId: randomUUID(),
        extendedRequestId: undefined,
        cfId: undefined,
        attempts: 1,
        totalRetryDelay: 0,
      };
      return Object.assign(copyData<object>(output), { $metadata });
    } catch (error) {
      throw toSdkException(error, sdk);
    }
  };
}

function isOurs(operation: string, service: string): operation is OperationName {
  return isOperationName(operation) && operationTraits[operation].service === service;
}

function unknownOperation(operation: string): DynamoError {
  return new DynamoError({
    exception: "UnknownOperationException",
    serviceMessage: `this client does not support ${operation}: it runs on a port, which has only the operations that Tablekeep uses`,
  });
}

function toPort<Name extends OperationName>(operation: Name, input: object): InputOf<Name> {
  const copy = copyData(input) as InputOf<Name>;
  // The SDK adds the token while it serializes the request, which does not happen here.
  if (operation === "TransactWriteItems" || operation === "ExecuteTransaction")
    (copy as InputOf<"TransactWriteItems">).ClientRequestToken ??= randomUUID();
  return copy;
}

function callOptions(options: SendOptions | undefined): CallOptions {
  if (options === undefined) return {};
  return {
    ...(options.abortSignal && { signal: options.abortSignal }),
    ...(options.requestTimeout && { deadlineMs: options.requestTimeout }),
  };
}

/**
 * A copy that shares no memory with `data`: objects, arrays, bytes and dates. Absent members are left out, as they are
 * on the wire, and bytes of any subclass become a plain `Uint8Array`, as the SDK returns them.
 */
function copyData<Data>(data: Data): Data {
  return copyOf(data) as Data;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (value instanceof Date) return new Date(value);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    if (key === "__proto__") define(copy, key, copyOf(member));
    else copy[key] = copyOf(member);
  }
  return copy;
}

/** An attribute may have this name; a plain assignment would set the prototype. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/** The exception classes of one of the SDK's service packages. */
interface SdkExceptions {
  /** The class that all exceptions of the service extend, and that is used for those without their own class. */
  readonly base: new (
    init: ExceptionInit,
  ) => Error;
  /** The package's exports. */
  readonly exports: object;
}

interface ExceptionInit {
  readonly name: string;
  readonly message: string;
  readonly $fault: "client" | "server";
  readonly $metadata: object;
}

/**
 * Returns the error that the SDK would throw for a port's `error`: its own exception class for a response of DynamoDB, the
 * errors of its transport for a lost connection or a missed deadline. The port's error is the `cause`.
 */
function toSdkException(error: unknown, sdk: SdkExceptions): unknown {
  if (!isTablekeepError(error)) return error;
  const thrown = isDynamoError(error) ? fromAnswer(error.details, error.message, sdk) : fromClient(error);
  if (thrown === undefined) return error;
  Object.defineProperty(thrown, "cause", { value: error, writable: true, configurable: true });
  return thrown;
}

function fromAnswer(details: DynamoErrorDetails, message: string, sdk: SdkExceptions): Error {
  const Exception = exceptionClass(details.exception, sdk);
  const init = {
    name: details.exception,
    message: details.serviceMessage || message,
    $fault: details.httpStatus >= 500 ? "server" : "client",
    $metadata: {
      httpStatusCode: details.httpStatus,
      requestId: details.requestId,
      attempts: details.attempts,
      totalRetryDelay: 0,
    },
    Item: copyData(details.item),
    CancellationReasons: copyData(details.cancellationReasons),
    ThrottlingReasons: copyData(details.throttlingReasons),
    throttlingReasons: copyData(details.throttlingReasons),
  } as const;
  // The class copies the members that it declares and ignores the others.
  return new Exception(init);
}

function exceptionClass(name: string, sdk: SdkExceptions): SdkExceptions["base"] {
  const exported: unknown = Object.hasOwn(sdk.exports, name) ? Reflect.get(sdk.exports, name) : undefined;
  const isException =
    typeof exported === "function" && Object.prototype.isPrototypeOf.call(sdk.base, exported);
  return isException ? (exported as SdkExceptions["base"]) : sdk.base;
}

/** The name that the SDK's transport uses for the same problem. */
const transportErrors: Partial<Record<string, { name: string; code?: string; $response?: object }>> = {
  CLIENT_ABORTED: { name: "AbortError" },
  ENGINE_ABORTED: { name: "AbortError" },
  CLIENT_DEADLINE_EXCEEDED: { name: "TimeoutError", code: "ETIMEDOUT" },
  ENGINE_DEADLINE_EXCEEDED: { name: "TimeoutError", code: "ETIMEDOUT" },
  CLIENT_UNREACHABLE: { name: "TimeoutError", code: "ECONNREFUSED" },
  CLIENT_CONNECTION_LOST: { name: "TimeoutError", code: "ECONNRESET" },
  CLIENT_RESPONSE_CORRUPT: { name: "SyntaxError", $response: {} },
  CLIENT_CREDENTIALS_MISSING: { name: "CredentialsProviderError" },
  CLIENT_CREDENTIALS_FAILED: { name: "CredentialsProviderError" },
};

function fromClient(error: TablekeepError): Error | undefined {
  const known = transportErrors[error.code];
  if (known === undefined) return undefined;
  const { attempts } = error.details as { attempts?: number };
  return Object.assign(new Error(error.message), known, { $metadata: { attempts, totalRetryDelay: 0 } });
}
