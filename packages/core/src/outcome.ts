import type { TablekeepError } from "./error.ts";
import type { Item } from "./values/attribute-value.ts";

/**
 * How a write ended. There are four ways, and they are never mixed up:
 *
 * - `ok`: it is stored.
 * - `rejected`: it is surely not stored, and nobody else's write is the reason (bad input, too large, throttled to the end).
 * - `conflict`: it is surely not stored, because another's write came first.
 * - `unknown`: it may be stored. The caller must look before it acts, and never report it as failed.
 */
export type Outcome<Value = void> =
  | { readonly kind: "ok"; readonly value: Value }
  | { readonly kind: "rejected"; readonly error: TablekeepError }
  | {
      readonly kind: "conflict";
      readonly error: TablekeepError;
      /** What stands in the way, where it is known. */
      readonly current?: Item | undefined;
    }
  | { readonly kind: "unknown"; readonly error: TablekeepError };

/** The value of an `ok` outcome; throws the error of any other. */
export function unwrap<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === "ok") return outcome.value;
  throw outcome.error;
}
