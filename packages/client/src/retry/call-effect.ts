import {
  type CallOptions,
  type InputOf,
  type OperationName,
  type RequestEffect,
  requestEffect,
} from "@tablekeep/core";

/** Returns the effect of sending this request. A caller's `idempotent` overrides what the operation alone says of a write. */
export function callEffect<Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  options: CallOptions = {},
): RequestEffect {
  const effect = requestEffect(operation, input);
  if (effect === "read" || options.idempotent === undefined) return effect;
  if (options.idempotent) return "repeatable";
  return effect === "repeatable" ? "once" : effect;
}
