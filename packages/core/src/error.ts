/** The kind of an error. The program maps kinds to exit codes and HTTP statuses. */
export type ErrorKind =
  | "invalid" // the request itself is wrong; the same request will always fail
  | "not-found" // a table, an index or a package that must exist does not
  | "conflict" // another write came first
  | "limit" // too large, too many, too deep
  | "throttled" // the service rejects requests because of their rate
  | "unavailable" // unreachable, timed out, or failing on the other side
  | "denied" // credentials missing, wrong or without the permission
  | "corrupt" // stored or received data is damaged
  | "closed" // used after close
  | "aborted" // the caller aborted the call
  | "internal"; // a bug in this program, not in the request

/** The parts of a {@link TablekeepError}. */
export interface ErrorInit<Code extends string, Details extends object> {
  readonly code: Code;
  readonly kind: ErrorKind;
  /** One line: what happened, and what to do about it. */
  readonly message: string;
  readonly details: Details;
  /** Whether the same call may succeed later. @default false */
  readonly retryable?: boolean;
  /** Whether the write that failed may have been applied. @default false */
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

const brand = Symbol.for("tablekeep.error");

/**
 * The one family of errors. `code` is stable between major versions and `details` is typed by it; the message is for
 * people and may change. Each package has a subclass with its own codes. Wrong arguments in the sense of the type checker
 * are plain `TypeError`s.
 */
export class TablekeepError<Code extends string = string, Details extends object = object> extends Error {
  readonly code: Code;
  readonly kind: ErrorKind;
  readonly details: Details;
  readonly retryable: boolean;
  readonly ambiguous: boolean;

  constructor(init: ErrorInit<Code, Details>) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.kind = init.kind;
    this.details = init.details;
    this.retryable = init.retryable ?? false;
    this.ambiguous = init.ambiguous ?? false;
    Object.defineProperty(this, brand, { value: true });
  }

  static {
    nameErrors(TablekeepError, "TablekeepError");
  }
}

/**
 * Sets the `name` of the instances of an error class. Call it in a static block of each subclass. A string survives
 * minification, which a class's own name does not, and a data property on the prototype can be assigned like that of any `Error`.
 *
 * @example
 * class PaymentError extends Error {
 *   static {
 *     nameErrors(PaymentError, "PaymentError");
 *   }
 * }
 */
export function nameErrors(errorClass: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(errorClass.prototype, "name", { value: name, writable: true, configurable: true });
}

/**
 * Returns whether `error` is a {@link TablekeepError}, with this code if one is given; also across two copies of this package.
 *
 * @example
 * if (isTablekeepError(error, "CLIENT_DEADLINE_EXCEEDED") && error.ambiguous) await readBack();
 */
export function isTablekeepError(error: unknown, code?: string): error is TablekeepError {
  if (typeof error !== "object" || error === null || !(brand in error)) return false;
  return code === undefined || ("code" in error && error.code === code);
}

/**
 * Returns whether `error` leaves open whether a write was applied: what is stored decides.
 *
 * @example
 * if (isAmbiguous(error)) await readBack();
 */
export function isAmbiguous(error: unknown): boolean {
  return isTablekeepError(error) && error.ambiguous;
}
