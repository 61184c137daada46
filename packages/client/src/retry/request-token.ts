import { randomUUID } from "node:crypto";
import type { InputOf, OperationName } from "@tablekeep/core";

/**
 * The input as it is sent with every attempt of a call: a transaction gets a token unless it has one. By the token
 * DynamoDB recognises the attempts as one transaction and applies it once.
 */
export function withRequestToken<Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
): InputOf<Name> {
  if (operation !== "TransactWriteItems" && operation !== "ExecuteTransaction") return input;
  const { ClientRequestToken } = input as InputOf<"TransactWriteItems">;
  return ClientRequestToken === undefined ? { ...input, ClientRequestToken: randomUUID() } : input;
}
