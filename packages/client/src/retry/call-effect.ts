import { randomUUID } from "node:crypto";
import {
  type CallOptions,
  type InputOf,
  type OperationName,
  type RequestEffect,
  requestEffect,
} from "@tablekeep/core";

/** Returns the effect of sending this request. A caller's `idempotent` overrides the effect of the operation. */
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

/**
 * The input as it is sent with every attempt of a call: a transaction gets a token unless it has one. By the token
 * DynamoDB recognizes the attempts as one transaction and applies it once.
 */
export function withRequestToken<Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
): InputOf<Name> {
  if (operation !== "TransactWriteItems" && operation !== "ExecuteTransaction") return input;
  const { ClientRequestToken } = input as InputOf<"TransactWriteItems">;
  return ClientRequestToken === undefined ? { ...input, ClientRequestToken: randomUUID() } : input;
}
