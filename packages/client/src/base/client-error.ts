import {
  type ErrorKind,
  type Item,
  isTablekeepError,
  type Key,
  nameErrors,
  TablekeepError,
} from "@tablekeep/core";

/** One put or delete of a batch. */
export type BatchWriteEntry =
  | { readonly table: string; readonly put: Item; readonly delete?: never }
  | { readonly table: string; readonly delete: Key; readonly put?: never };

/** One item to read in a batch. */
export interface BatchKey {
  readonly table: string;
  readonly key: Key;
}

/** One entry of either kind of batch. */
export type BatchEntry = BatchWriteEntry | BatchKey;

/** The stages of a call: it waits for a free connection, fetches credentials, connects, and waits for the response. */
export type CallStage = "waiting" | "credentials" | "connecting" | "sent";

/** The details of each error, by code. */
export interface ClientErrorDetails {
  /** An option that is unknown, missing or of a wrong value. */
  CLIENT_OPTION_INVALID: { option: string; reason: string };
  /** An optional package that this feature loads is not installed. */
  CLIENT_PACKAGE_MISSING: { package: string };
  CLIENT_CREDENTIALS_MISSING: { tried: readonly string[] };
  /** `field` is the one that is missing or not usable, if the provider returned something. */
  CLIENT_CREDENTIALS_FAILED: { provider: string; field?: string };
  /** No connection could be made: nothing was sent. `reason` is the system's code, such as `ECONNREFUSED`, or the proxy's response. */
  CLIENT_UNREACHABLE: { endpoint: string; attempts: number; reason: string };
  /** The connection closed before the response was complete. */
  CLIENT_CONNECTION_LOST: { endpoint: string; attempts: number };
  /** The response is not DynamoDB's: wrong checksum, incomplete, not JSON. */
  CLIENT_RESPONSE_CORRUPT: { endpoint: string; attempts: number; reason: string };
  /** Too many requests wait for a connection: this one was not sent. */
  CLIENT_BUSY: { endpoint: string; waiting: number; attempts: number };
  /** `stage` is the stage of the call, if it consists of one request. */
  CLIENT_DEADLINE_EXCEEDED: { deadlineMs: number; attempts: number; stage?: CallStage };
  CLIENT_ABORTED: { attempts: number };
  CLIENT_CLOSED: Record<never, never>;
  /** A batch ended early: at its deadline, aborted, or by an error (see `cause`). */
  CLIENT_BATCH_INCOMPLETE: {
    of: number;
    /** Written, or read. */
    done: readonly BatchEntry[];
    /** Not written, or not read. */
    undone: readonly BatchEntry[];
    /** Writes that may have been applied; sending them again does no harm. */
    unknown: readonly BatchEntry[];
  };
  /** DynamoDB returned part of a batch unprocessed, and retrying did not help: it is throttling. */
  CLIENT_UNPROCESSED: { left: number; of: number };
  /** Another write holds the key, so this one is not stored, although a response was lost. */
  CLIENT_WRITE_CONFLICT: { table: string };
  /** An item or a request is larger than DynamoDB accepts, and cannot be split. */
  CLIENT_LIMIT_EXCEEDED: { limit: string; actual: number; maximum: number };
  /** A table exists and differs from its specification. */
  CLIENT_TABLE_MISMATCH: { table: string; differences: readonly string[] };
  CLIENT_TABLE_MISSING: { table: string };
  /** A table did not become usable in time, or is being deleted. */
  CLIENT_TABLE_NOT_READY: { table: string; status: string };
}

export type ClientErrorCode = keyof ClientErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const clientErrorKinds: Readonly<Record<ClientErrorCode, ErrorKind>> = {
  CLIENT_OPTION_INVALID: "invalid",
  CLIENT_PACKAGE_MISSING: "not-found",
  CLIENT_CREDENTIALS_MISSING: "denied",
  CLIENT_CREDENTIALS_FAILED: "denied",
  CLIENT_UNREACHABLE: "unavailable",
  CLIENT_CONNECTION_LOST: "unavailable",
  CLIENT_RESPONSE_CORRUPT: "corrupt",
  CLIENT_BUSY: "throttled",
  CLIENT_DEADLINE_EXCEEDED: "unavailable",
  CLIENT_ABORTED: "aborted",
  CLIENT_CLOSED: "closed",
  CLIENT_BATCH_INCOMPLETE: "unavailable",
  CLIENT_UNPROCESSED: "throttled",
  CLIENT_WRITE_CONFLICT: "conflict",
  CLIENT_LIMIT_EXCEEDED: "limit",
  CLIENT_TABLE_MISMATCH: "invalid",
  CLIENT_TABLE_MISSING: "not-found",
  CLIENT_TABLE_NOT_READY: "unavailable",
};

const retryable: ReadonlySet<ClientErrorCode> = new Set([
  "CLIENT_UNREACHABLE",
  "CLIENT_CONNECTION_LOST",
  "CLIENT_RESPONSE_CORRUPT",
  "CLIENT_BUSY",
  "CLIENT_UNPROCESSED",
]);

/** Further members of a {@link ClientError}. */
export interface ClientErrorExtra {
  /** The write may have been applied anyway. @default false */
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** An error of the access layer: DynamoDB did not respond, or no request was sent. */
export class ClientError<Code extends ClientErrorCode = ClientErrorCode> extends TablekeepError<
  Code,
  ClientErrorDetails[Code]
> {
  static {
    nameErrors(ClientError, "ClientError");
  }

  constructor(code: Code, message: string, details: ClientErrorDetails[Code], extra: ClientErrorExtra = {}) {
    super({ code, kind: clientErrorKinds[code], message, details, retryable: retryable.has(code), ...extra });
  }
}

/**
 * Returns whether `error` is a {@link ClientError}, with this code if one is given.
 *
 * @example
 * if (isClientError(error, "CLIENT_CONNECTION_LOST")) console.log(error.message);
 */
export function isClientError<Code extends ClientErrorCode>(
  error: unknown,
  code: Code,
): error is ClientError<Code> {
  return isTablekeepError(error, code);
}

/** Returns an error of the family. Throws any other: it is a bug. */
export function requireOwnError(error: unknown): TablekeepError {
  if (isTablekeepError(error)) return error;
  throw error;
}

/** The error of a call to a port that is closed. */
export function portClosed(): ClientError<"CLIENT_CLOSED"> {
  return new ClientError("CLIENT_CLOSED", "port is closed: open a new one", {});
}

/**
 * Handles an optional package that cannot be loaded: `import("name").catch(packageMissing("name"))`. One that is not
 * installed throws one error that says how to install it. The `catch` right behind the literal `import()` marks for bundlers
 * that the package is optional: they bundle it if it is installed, and otherwise resolve it at run time.
 */
export function packageMissing(name: string): (error: unknown) => never {
  return (error) => {
    if (!isNotFound(error)) throw error;
    throw new ClientError(
      "CLIENT_PACKAGE_MISSING",
      `optional package ${name} is not installed: run npm install ${name}`,
      { package: name },
      { cause: error },
    );
  };
}

function isNotFound(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // With a `url`, the package is installed, but one of its files is missing.
  return code === "ERR_MODULE_NOT_FOUND" && !(error instanceof Error && "url" in error);
}
