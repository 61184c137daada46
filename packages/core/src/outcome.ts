import type { TablekeepError } from "./error.ts";
import type { Item } from "./values/attribute-value.ts";

/**
 * The outcome of a write:
 *
 * - `ok`: it is stored.
 * - `rejected`: it is not stored, and no other write is the reason (bad input, too large, throttled until the deadline).
 * - `conflict`: it is not stored, because another write came first.
 * - `unknown`: it may be stored. The caller must read before it acts, and never report it as failed.
 */
export type Outcome<Value = void> =
  | { readonly kind: "ok"; readonly value: Value }
  | { readonly kind: "rejected"; readonly error: TablekeepError }
  | {
      readonly kind: "conflict";
      readonly error: TablekeepError;
      /** The item of the other write, if known. */
      readonly current?: Item;
    }
  | { readonly kind: "unknown"; readonly error: TablekeepError };

/**
 * Returns the value of an `ok` outcome; throws the error of any other.
 *
 * @example
 * const { writeId } = unwrap(await settlePut(port, input, options));
 */
export function unwrap<Value>(outcome: Outcome<Value>): Value {
  if (outcome?.kind === "ok") return outcome.value;
  throw outcome?.error ?? notAnOutcome(outcome);
}

/** In JavaScript a forgotten `await` is not noticed earlier. */
function notAnOutcome(given: unknown): TypeError {
  const what = given instanceof Promise ? "a promise (await it first)" : String(given);
  return new TypeError(`unwrap expects an outcome, got ${what}`);
}
