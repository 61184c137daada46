import { type ErrorKind, isTablekeepError, nameErrors, TablekeepError } from "./error.ts";
import type { OperationName } from "./operations/operations.ts";
import type { Item } from "./values/attribute-value.ts";

/** The traits of DynamoDB's exceptions. Others have those of {@link unlisted}. */
const exceptions = {
  ConditionalCheckFailedException: { kind: "conflict", status: 400 },
  TransactionCanceledException: { kind: "conflict", status: 400 },
  TransactionConflictException: { kind: "conflict", status: 400, retryable: true },
  TransactionInProgressException: { kind: "conflict", status: 400, retryable: true },
  ReplicatedWriteConflictException: { kind: "conflict", status: 400, retryable: true },
  DuplicateItemException: { kind: "conflict", status: 400 },
  ResourceInUseException: { kind: "conflict", status: 400 },
  IdempotentParameterMismatchException: { kind: "invalid", status: 400 },
  ValidationException: { kind: "invalid", status: 400 },
  SerializationException: { kind: "invalid", status: 400 },
  UnknownOperationException: { kind: "invalid", status: 400 },
  ExpiredIteratorException: { kind: "invalid", status: 400 },
  TrimmedDataAccessException: { kind: "invalid", status: 400 },
  ResourceNotFoundException: { kind: "not-found", status: 400 },
  ItemCollectionSizeLimitExceededException: { kind: "limit", status: 400 },
  LimitExceededException: { kind: "limit", status: 400, retryable: true },
  ProvisionedThroughputExceededException: { kind: "throttled", status: 400, retryable: true },
  ThrottlingException: { kind: "throttled", status: 400, retryable: true },
  RequestLimitExceeded: { kind: "throttled", status: 400, retryable: true },
  AccessDeniedException: { kind: "denied", status: 400 },
  UnrecognizedClientException: { kind: "denied", status: 400 },
  MissingAuthenticationTokenException: { kind: "denied", status: 400 },
  IncompleteSignatureException: { kind: "denied", status: 400 },
  InvalidSignatureException: { kind: "denied", status: 400 },
  ExpiredTokenException: { kind: "denied", status: 400 },
  InternalServerError: { kind: "unavailable", status: 500, retryable: true, ambiguous: true },
  ServiceUnavailable: { kind: "unavailable", status: 503, retryable: true, ambiguous: true },
} as const;

interface ExceptionTraits {
  readonly kind: ErrorKind;
  readonly status: number;
  readonly retryable?: boolean;
  /** The service may have applied the write before it answered so. */
  readonly ambiguous?: boolean;
}

/** The exceptions of DynamoDB that are known by name. */
export type DynamoExceptionName = keyof typeof exceptions;

/** Their names, as listed in `docs/reference/errors.md`. */
export const dynamoExceptionNames: readonly DynamoExceptionName[] = Object.keys(
  exceptions,
) as DynamoExceptionName[];

/** Why one action of a cancelled transaction failed; `Code` is `None` for an action that did not. */
export interface CancellationReason {
  Code?: string;
  Message?: string;
  Item?: Item;
}

/** Which limit throttled a request, and on which table or index. */
export interface ThrottlingReason {
  reason?: string;
  resource?: string;
}

/** The details of a {@link DynamoError}. The last three are set if DynamoDB sent them. */
export interface DynamoErrorDetails<Exception extends string = string> {
  readonly exception: Exception;
  /** DynamoDB's message, unchanged. Messages of the embedded engine itself begin with `Tablekeep: `. */
  readonly serviceMessage: string;
  readonly httpStatus: number;
  readonly operation?: OperationName;
  readonly table?: string;
  readonly requestId?: string;
  /** How often the request was sent. */
  readonly attempts: number;
  /** The item that failed the condition (`ReturnValuesOnConditionCheckFailure: "ALL_OLD"`). */
  readonly item?: Item;
  /** One reason per action of a cancelled transaction, in the order of the actions. */
  readonly cancellationReasons?: readonly CancellationReason[];
  readonly throttlingReasons?: readonly ThrottlingReason[];
}

/** The parts of a {@link DynamoError}: the exception and DynamoDB's message, the rest if known. */
export interface DynamoErrorInit<Exception extends string = string>
  extends Partial<Omit<DynamoErrorDetails<Exception>, "exception" | "serviceMessage">> {
  readonly exception: Exception;
  readonly serviceMessage: string;
  /** An earlier attempt of the same call may have been applied. @default as the exception says */
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/**
 * DynamoDB's rejection of a request. Every port throws it, the embedded engine included.
 * `code` is `DYNAMO_` and the exception's name in upper snake case.
 */
export class DynamoError<Exception extends string = string> extends TablekeepError<
  `DYNAMO_${string}`,
  DynamoErrorDetails<Exception>
> {
  static {
    nameErrors(DynamoError, "DynamoError");
  }

  constructor(init: DynamoErrorInit<Exception>) {
    const { ambiguous, cause, ...given } = init;
    const traits = traitsOf(init.exception, init.httpStatus);
    super({
      code: dynamoErrorCode(init.exception),
      kind: traits.kind,
      message: describe(init),
      details: { attempts: 1, httpStatus: traits.status, ...given },
      retryable: traits.retryable ?? false,
      ambiguous: ambiguous ?? traits.ambiguous ?? false,
      cause,
    });
  }
}

/**
 * Returns whether `error` is DynamoDB's rejection, and this exception if one is named.
 *
 * @example
 * if (isDynamoError(error, "ConditionalCheckFailedException")) console.log(error.details.item);
 */
export function isDynamoError<Exception extends DynamoExceptionName>(
  error: unknown,
  exception?: Exception,
): error is DynamoError<Exception> {
  if (!isTablekeepError(error) || !error.code.startsWith("DYNAMO_")) return false;
  return exception === undefined || error.code === dynamoErrorCode(exception);
}

/**
 * Returns the code of a {@link DynamoError} with this exception.
 *
 * @example
 * dynamoErrorCode("ConditionalCheckFailedException"); // "DYNAMO_CONDITIONAL_CHECK_FAILED"
 */
export function dynamoErrorCode(exception: string): `DYNAMO_${string}` {
  const stem = exception.replace(/(Exception|Error)$/, "");
  return `DYNAMO_${stem.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase()}`;
}

function traitsOf(exception: string, status: number | undefined): ExceptionTraits {
  return Object.hasOwn(exceptions, exception)
    ? exceptions[exception as DynamoExceptionName]
    : unlisted(status ?? 400);
}

/** The traits of an exception that is not listed: by its HTTP status. */
function unlisted(status: number): ExceptionTraits {
  if (status >= 500) return { kind: "unavailable", status, retryable: true, ambiguous: true };
  if (status === 429) return { kind: "throttled", status, retryable: true };
  if (status === 401 || status === 403) return { kind: "denied", status };
  return { kind: "invalid", status };
}

const advice: Partial<Record<string, string>> = {
  ResourceNotFoundException: "create it, or check its name, the region and the endpoint",
  AccessDeniedException: "allow this action on this table in the IAM policy",
  UnrecognizedClientException: "check the access key id and that it belongs to this region's partition",
  InvalidSignatureException: "check the secret access key and this machine's clock",
  MissingAuthenticationTokenException: "provide credentials",
  ExpiredTokenException: "renew the session token",
};

function describe(init: DynamoErrorInit): string {
  const where = [init.operation, init.table && `on ${init.table}`].filter(Boolean).join(" ");
  const what = `${where ? `${where}: ` : ""}${init.exception}: ${init.serviceMessage}`;
  const hint = advice[init.exception];
  return hint ? `${what} (${hint})` : what;
}
