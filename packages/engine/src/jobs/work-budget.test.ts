import { expect, test } from "vitest";
import { nextBackgroundTurn } from "./work-budget.ts";

const resources = () => process.getActiveResourcesInfo().length;

test("lets other work run first, and does not keep the process alive", async () => {
  const before = resources();
  const order: string[] = [];
  const turn = nextBackgroundTurn(new AbortController().signal).then(() => order.push("turn"));
  expect(resources()).toBe(before);
  await Promise.resolve().then(() => order.push("other"));
  await turn;
  expect(order).toEqual(["other", "turn"]);
});

test("resolves at once when the signal is aborted", async () => {
  const stop = new AbortController();
  let over = false;
  const turn = nextBackgroundTurn(stop.signal).then(() => {
    over = true;
  });
  stop.abort();
  await Promise.resolve();
  await Promise.resolve();
  expect(over).toBe(true);
  await turn;
  await nextBackgroundTurn(stop.signal);
});
