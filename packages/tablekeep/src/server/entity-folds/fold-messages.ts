import { type ErrorKind, isTablekeepError, type OperationName, TablekeepError } from "@tablekeep/core";
import type { JournalOptions } from "@tablekeep/journal";

/** The state to rebuild. */
export interface FoldRequest {
  /** The options of the journal that are plain data. */
  readonly journal: JournalOptions;
  readonly snapshotTable: string | undefined;
  readonly persistenceId: string;
  /** Sequence number of the last event to apply; undefined applies all. */
  readonly sequenceNr: number | undefined;
}

/** A state by the definition of its entity. */
export interface FoldedState {
  /** The type of the definition. */
  readonly entity: string;
  /** The id that the application uses. */
  readonly id: string;
  /** Sequence number of the last event in the state; 0 before the first. */
  readonly sequenceNr: number;
  /** The state in JSON. */
  readonly state: string;
}

/** An error on its way to another thread. */
export interface ErrorParts {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly details: object;
  readonly retryable: boolean;
  readonly ambiguous: boolean;
}

/** The share of a port's retry limits that the thread has for one state. */
export interface LentRetries {
  readonly maxAttempts: number;
  /** Tokens taken from the budget of the port. Unused ones are returned. */
  readonly tokens: number;
}

/** A message to the thread: the next request, or the response to a call of its port. */
export type ToThread =
  | { readonly kind: "fold"; readonly request: FoldRequest; readonly retries: LentRetries | undefined }
  | { readonly kind: "output"; readonly call: number; readonly output: unknown }
  | { readonly kind: "error"; readonly call: number; readonly error: ErrorParts };

/** A call of the thread's port. */
export interface PortCall {
  readonly kind: "call";
  readonly call: number;
  readonly operation: OperationName;
  readonly input: unknown;
  readonly deadlineMs: number | undefined;
  readonly maxAttempts: number | undefined;
}

/**
 * The end of loading the module, or of a request. `folded` is undefined if no definition has the persistence id; `tokensLeft`: unused tokens, which are
 * returned.
 */
export type ThreadAnswer =
  | { readonly kind: "ready"; readonly types: readonly string[] }
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "folded"; readonly folded: FoldedState | undefined; readonly tokensLeft: number }
  | { readonly kind: "failed"; readonly error: ErrorParts; readonly tokensLeft: number };

/** A message from the thread. */
export type FromThread = PortCall | ThreadAnswer;

/** Returns the parts of an error. Errors of the definitions' own code are part of its message. */
export function errorParts(error: unknown): ErrorParts {
  if (!isTablekeepError(error)) {
    const message = `unexpected error: ${textOf(error)}`;
    return {
      code: "SERVER_FOLD_STOPPED",
      kind: "unavailable",
      message,
      details: { problem: "failed", reason: message },
      retryable: false,
      ambiguous: false,
    };
  }
  const { code, kind, message, details, retryable, ambiguous, cause } = error;
  const isShown = cause === undefined || isTablekeepError(cause);
  const shown = isShown ? message : `${message.replace(/: see the cause$/, "")}: ${textOf(cause)}`;
  return {
    code,
    kind,
    message: shown,
    details: detached(details) as object,
    retryable,
    ambiguous,
  };
}

/** Maximum length of an error message of a definition, in characters. */
const maxCharacters = 1_000;

function textOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, maxCharacters);
}

/** Builds an error from its parts. */
export function errorOf(parts: ErrorParts): TablekeepError {
  return new TablekeepError(parts);
}

/** Returns a copy with its own bytes: a message would copy the whole buffer that they are part of. */
export function detached(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(detached);
  if (typeof value === "function" || value instanceof AbortSignal) return undefined;
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, detached(member)]));
}
