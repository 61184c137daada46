import { type Item, itemSize, maxItemBytes } from "@tablekeep/core";
import { ClientError } from "./client-error.ts";

/** Throws `CLIENT_LIMIT_EXCEEDED` for an item that DynamoDB would reject as too large, before it is sent. */
export function checkItemSize(item: Item): void {
  const actual = itemSize(item);
  if (actual <= maxItemBytes) return;
  throw new ClientError(
    "CLIENT_LIMIT_EXCEEDED",
    `item has ${actual} bytes, but DynamoDB stores at most ${maxItemBytes}: shorten, compress or split it`,
    { limit: "item bytes", actual, maximum: maxItemBytes },
  );
}
