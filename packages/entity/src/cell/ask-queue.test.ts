import { describe, expect, test } from "vitest";
import { askQueue } from "./ask-queue.ts";
import type { PendingAsk } from "./pending-ask.ts";

const ask = (conflicts: number, answered = false) => ({ conflicts, answered }) as PendingAsk;
const numbers = (asks: Iterable<PendingAsk>) => Array.from(asks, ({ conflicts }) => conflicts);

describe("a queue of commands", () => {
  test("removes 300,000 commands one by one, in order, while more arrive", () => {
    const queue = askQueue();
    for (let n = 0; n < 200_000; n++) queue.add(ask(n));
    for (let n = 0; n < 300_000; n++) {
      if (queue.first?.conflicts !== n) expect(queue.first?.conflicts).toBe(n);
      queue.removeFirst();
      if (n < 100_000) queue.add(ask(200_000 + n));
    }
    expect([queue.size, queue.first]).toEqual([0, undefined]);
  });

  test("accepts commands at its front, even more than were removed", () => {
    const queue = askQueue();
    for (let n = 3; n < 6; n++) queue.add(ask(n));
    queue.removeFirst();
    queue.putFirst([ask(3)]);
    queue.putFirst([ask(1), ask(2)]);
    queue.putFirst([]);
    expect(numbers(queue)).toEqual([1, 2, 3, 4, 5]);
    expect(numbers(queue.removeAll())).toEqual([1, 2, 3, 4, 5]);
    queue.removeFirst();
    expect(queue.size).toBe(0);
  });

  test("drops answered commands, in a long queue only once enough were removed", () => {
    const queue = askQueue();
    for (let n = 0; n < 2000; n++) queue.add(ask(n, n % 2 === 1));
    queue.dropAnswered();
    expect(queue.size).toBe(2000);
    for (let n = 0; n < 250; n++) queue.removeFirst();
    queue.dropAnswered();
    expect(queue.size).toBe(875);
    expect(queue.first?.conflicts).toBe(250);
  });
});
