import { silentLogger } from "@tablekeep/core";
import { expect, test } from "vitest";
import { backgroundCleaning } from "./background-cleaning.ts";

const old = { old: true, garbage: false };
const garbage = { old: false, garbage: true };

/** Cleaning that waits for `finish`, and what it was called with. */
function heldCleaning() {
  const calls: unknown[][] = [];
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const cleaning = backgroundCleaning((...call) => {
    calls.push(call);
    return held;
  }, silentLogger);
  return { cleaning, calls, finish };
}

test("cleans four ids at a time, and joins the requests of one that waits", async () => {
  const { cleaning, calls, finish } = heldCleaning();
  for (const id of ["a", "b", "c", "d", "e"]) cleaning.demand(id, old);
  cleaning.demand("e", garbage);
  expect(calls).toHaveLength(4);
  finish();
  await cleaning.idle();
  expect(calls.slice(4)).toEqual([["e", { old: true, garbage: true }]]);
});

test("close waits for what is being cleaned, and drops the rest", async () => {
  const { cleaning, calls, finish } = heldCleaning();
  for (let at = 0; at < 1000; at++) cleaning.demand(`id-${at}`, old);
  const closing = cleaning.close();
  cleaning.demand("late", old);
  finish();
  await closing;
  expect(calls).toHaveLength(4);
});
