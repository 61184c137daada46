import { type Item, maxItemBytes } from "@tablekeep/core";
import { expect, test } from "vitest";
import { checkItemSize } from "./check-item-size.ts";

test("rejects an item of more than 409,600 bytes before it is sent", () => {
  const item = (bytes: number): Item => ({ pk: { S: "x".repeat(bytes - 2) } });
  checkItemSize(item(maxItemBytes));
  const details = { limit: "item bytes", actual: 409_601, maximum: 409_600 };
  const rejection = expect.objectContaining({ code: "CLIENT_LIMIT_EXCEEDED", details });
  expect(() => checkItemSize(item(409_601))).toThrow(rejection);
});
