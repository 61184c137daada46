import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { bytesOf, type MqttMessage } from "../protocol/mqtt-message.ts";
import { Outbox, type OutboxStore, QueuedBytes, type Receiver } from "./outbox.ts";

const message: MqttMessage = { topic: "t", payload: "x".repeat(1000), qos: 1 };
const size = bytesOf(message);
const store: OutboxStore = { save: async () => {}, remove: () => {} };

/** An outbox whose client has sent no acknowledgment yet, and the ids of the messages that it got. */
function newOutbox(total: QueuedBytes, { receiveMaximum = 10, maxBytes = 1_000_000 } = {}) {
  const dropped: number[] = [];
  const received: number[] = [];
  const onDropped = (count: number) => void dropped.push(count);
  const outbox = new Outbox({ clock: fakeClock(), total, maxBytes, store, onDropped });
  outbox.attach({
    receiveMaximum,
    transmit: (_message, { messageId = 0 }) => {
      received.push(messageId);
      return true;
    },
  });
  return { outbox, dropped, received };
}

function fill(outbox: Outbox, count: number): void {
  for (let at = 0; at < count; at++) void outbox.add(message, { retain: false });
}

describe("the bytes of all sessions", () => {
  test("do not include acknowledged messages", () => {
    const total = new QueuedBytes(3 * size);
    const one = newOutbox(total);
    const other = newOutbox(total);
    fill(one.outbox, 3);
    for (const id of one.received.slice(0, 2)) one.outbox.acknowledge(id);
    fill(other.outbox, 2);
    expect([one.dropped, other.dropped]).toEqual([[], []]);
    expect([one.outbox.size, other.outbox.size]).toEqual([1, 2]);
  });

  test("do not include sessions that have ended", () => {
    const total = new QueuedBytes(3 * size);
    const one = newOutbox(total);
    const other = newOutbox(total);
    fill(one.outbox, 3);
    one.outbox.clear();
    fill(other.outbox, 3);
    expect([other.dropped, other.outbox.size]).toEqual([[], 3]);
  });

  test("are limited at the cost of the session with the most", () => {
    const total = new QueuedBytes(4 * size);
    const one = newOutbox(total);
    const other = newOutbox(total);
    fill(one.outbox, 3);
    fill(other.outbox, 2);
    expect(one.dropped.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    expect([other.dropped, other.outbox.size]).toEqual([[], 2]);
  });
});

test("a client gets as many messages as it accepts, and the next with each acknowledgment", () => {
  const { outbox, received } = newOutbox(new QueuedBytes(1_000_000), { receiveMaximum: 2 });
  fill(outbox, 4);
  expect(received).toEqual([1, 2]);
  // An id that it was never sent changes nothing.
  outbox.acknowledge(4);
  expect(received).toEqual([1, 2]);
  outbox.acknowledge(2);
  outbox.acknowledge(1);
  expect([received, outbox.size]).toEqual([[1, 2, 3, 4], 2]);
});

test("the next connection gets unacknowledged messages again, with the same ids, as many as it accepts", () => {
  const { outbox } = newOutbox(new QueuedBytes(1_000_000), { receiveMaximum: 2 });
  fill(outbox, 3);
  outbox.detach();
  const received: (readonly [id: number | undefined, isRepeated: boolean | undefined])[] = [];
  const transmit: Receiver["transmit"] = (_message, { messageId, isRepeated }) => {
    received.push([messageId, isRepeated]);
    return true;
  };
  outbox.attach({ receiveMaximum: 2, transmit });
  expect(received).toEqual([
    [1, true],
    [2, true],
  ]);
  outbox.acknowledge(1);
  expect(received.at(-1)).toEqual([3, false]);
});
