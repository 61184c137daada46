import { expect, test } from "vitest";
import type { WireValue } from "../values/wire-value.ts";
import { applyUpdate } from "./apply-update.ts";
import { requestExpressions } from "./request-expressions.ts";

test("stops copying lists once they have more elements than an item may have bytes", () => {
  const elements: WireValue[] = Array(200_000).fill({ NULL: true });
  let copies = 0;
  const values = elements[Symbol.iterator];
  Object.defineProperty(elements, Symbol.iterator, {
    value: () => {
      copies++;
      return values.call(elements);
    },
  });
  const actions = Array.from({ length: 150 }, (_, at) => `x${at} = list_append(l, l)`);
  const { update } = requestExpressions({ UpdateExpression: `SET ${actions.join(", ")}` }, "update");
  if (update === undefined) throw new Error("no update");
  expect(() => applyUpdate(update, { l: { L: elements } })).toThrow(
    "Item size to update has exceeded the maximum allowed size",
  );
  expect(copies).toBe(4);
});
