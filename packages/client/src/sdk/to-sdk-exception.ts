import {
  type DynamoErrorDetails,
  isDynamoError,
  isTablekeepError,
  type TablekeepError,
} from "@tablekeep/core";
import { copyData } from "./copy-data.ts";

/** The exception classes of one of the SDK's service packages. */
export interface SdkExceptions {
  /** The class that all exceptions of the service extend, and that stands for those without one of their own. */
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
 * What the SDK would have thrown where a port throws `error`: its own exception class for an answer of DynamoDB, the
 * errors of its transport for a lost connection or a missed deadline. The port's error is the `cause`.
 */
export function toSdkException(error: unknown, sdk: SdkExceptions): unknown {
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
  // The class takes the members that it declares and leaves the others.
  return new Exception(init);
}

function exceptionClass(name: string, sdk: SdkExceptions): SdkExceptions["base"] {
  const exported: unknown = Object.hasOwn(sdk.exports, name) ? Reflect.get(sdk.exports, name) : undefined;
  const isException =
    typeof exported === "function" && Object.prototype.isPrototypeOf.call(sdk.base, exported);
  return isException ? (exported as SdkExceptions["base"]) : sdk.base;
}

/** How the SDK's transport names the same trouble. */
const transportErrors: Partial<Record<string, { name: string; code?: string; $response?: object }>> = {
  CLIENT_ABORTED: { name: "AbortError" },
  CLIENT_DEADLINE_EXCEEDED: { name: "TimeoutError", code: "ETIMEDOUT" },
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
