import { ClientError } from "@tablekeep/client";
import { type DynamoPort, type TransactWriteItemsInput, wrapPort } from "@tablekeep/core";

/** The port of a process that ends before the first request that fits: none of its later requests are sent. */
export function mortalAt(
  port: DynamoPort,
  isLast: (operation: string, input: TransactWriteItemsInput) => boolean,
): DynamoPort {
  let dead = false;
  return wrapPort(port, async (operation, input, call, next) => {
    dead ||= isLast(operation, input as TransactWriteItemsInput);
    if (dead) throw new ClientError("CLIENT_CLOSED", "the process has ended", {});
    return next(operation, input, call);
  });
}
