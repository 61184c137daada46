import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { mqttLimits } from "../protocol/mqtt-limits.ts";
import { type NumberedMessage, PublishDeduplicator } from "./publish-deduplicator.ts";

const first: NumberedMessage = {
  clientId: "a",
  messageId: 1,
  topic: "t",
  payload: Buffer.from("p"),
  isRepeated: false,
};
const again = { ...first, isRepeated: true };

function counted(bytes = 1) {
  const clock = fakeClock();
  const deduplicator = new PublishDeduplicator<number>({ clock, limits: mqttLimits, bytesOf: () => bytes });
  let done = 0;
  const answer = (message: NumberedMessage) => deduplicator.once(message, async () => ++done);
  return { clock, answer };
}

test("a redelivered message gets its first response, even while that is in flight", async () => {
  const { answer } = counted();
  expect(await Promise.all([answer(first), answer(again)])).toEqual([1, 1]);
  expect(await answer(again)).toBe(1);
});

test("a message that only looks like a redelivery is performed again", async () => {
  const { answer } = counted();
  await answer(first);
  expect(await answer({ ...again, payload: Buffer.from("q") })).toBe(2);
  expect(await answer({ ...again, topic: "u" })).toBe(3);
  expect(await answer({ ...again, clientId: "b" })).toBe(4);
  expect(await answer({ ...again, messageId: 2 })).toBe(5);
  // The same packet id without the DUP flag is a new message: clients reuse their packet ids.
  expect(await answer(first)).toBe(6);
});

test("forgets old responses, and the oldest of too many", async () => {
  const { clock, answer } = counted();
  await answer(first);
  await clock.advance(11 * 60_000);
  expect(await answer(again)).toBe(2);
  for (let messageId = 2; messageId < 10_100; messageId++) await answer({ ...first, messageId });
  expect(await answer(again)).toBeGreaterThan(2);
});

test("forgets large responses sooner, the oldest first", async () => {
  const { answer } = counted(mqttLimits.rememberedBytes / 4);
  for (let messageId = 1; messageId <= 4; messageId++) await answer({ ...first, messageId });
  expect(await answer(again)).toBe(1);
  expect(await answer({ ...first, messageId: 5 })).toBe(5);
  expect(await answer({ ...again, messageId: 2 })).toBe(2);
  expect(await answer(again)).toBe(6);
  // A replaced response is not counted twice.
  for (let times = 0; times < 8; times++) await answer({ ...first, messageId: 5 });
  expect(await answer({ ...again, messageId: 4 })).toBe(4);
});
