import { describe, expect, test } from "vitest";
import type { QueuedEvent } from "./rule-items.ts";
import { RuleQueue } from "./rule-queue.ts";

/** Event `order` of a thing. */
function event(thing: string, order: string): QueuedEvent {
  return { order, id: `id ${order}`, thing, name: "", version: 1, attempts: 0 };
}

function queueOf(...events: readonly QueuedEvent[]): RuleQueue {
  const queue = new RuleQueue();
  for (const each of events) queue.add(each);
  return queue;
}

const [lamp1, lamp2, fan] = [event("lamp", "1"), event("lamp", "2"), event("fan", "3")];

describe("the queue of a rule", () => {
  test("has one event of a shadow in flight, and the next once that is removed", () => {
    const queue = queueOf(lamp1, lamp2);
    expect(queue.next(0)).toEqual({ event: lamp1 });
    queue.begin(lamp1);
    expect([queue.next(0), queue.inFlight]).toEqual([undefined, 1]);
    queue.remove(lamp1);
    expect([queue.next(0), queue.inFlight, queue.size]).toEqual([{ event: lamp2 }, 0, 1]);
  });

  test("returns the events of other shadows meanwhile", () => {
    const queue = queueOf(lamp1, lamp2, fan);
    queue.begin(lamp1);
    expect(queue.next(0)).toEqual({ event: fan });
  });

  test("keeps a failed event first of its shadow, until it is due", () => {
    const queue = queueOf(lamp1, lamp2);
    queue.begin(lamp1);
    const again = { ...lamp1, attempts: 1 };
    queue.failed(again, 500);
    expect([queue.next(499), queue.next(500)]).toEqual([{ at: 500 }, { event: again }]);
  });

  test("prefers shadows without a failure, and then the event that is due first", () => {
    const queue = queueOf(lamp1, fan);
    queue.begin(lamp1);
    queue.failed(lamp1, 100);
    expect(queue.next(1000)).toEqual({ event: fan });
    queue.begin(fan);
    queue.failed(fan, 50);
    expect(queue.next(1000)).toEqual({ event: fan });
  });

  test("finds its events by id and by place until they are removed", () => {
    const queue = queueOf(lamp1);
    expect([queue.has(lamp1.id), queue.hasPlace("1")]).toEqual([true, true]);
    queue.remove(lamp1);
    expect([queue.has(lamp1.id), queue.hasPlace("1"), queue.next(0)]).toEqual([false, false, undefined]);
  });

  test("drops no event in flight: the oldest one is another", () => {
    const queue = queueOf(lamp1, lamp2, fan);
    expect(queue.oldest()).toEqual(lamp1);
    queue.begin(lamp1);
    expect(queue.oldest()).toEqual(fan);
    queue.begin(fan);
    expect(queue.oldest()).toBeUndefined();
  });
});
