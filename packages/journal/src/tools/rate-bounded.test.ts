import { buildPort, wrapPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { rateBounded } from "./rate-bounded.ts";

/** Notes when each request is sent, and says that it cost 5 units. */
function world() {
  const clock = fakeClock();
  const sentAt: number[] = [];
  const port = buildPort(
    async (_operation, input) => {
      sentAt.push(clock.monotonic());
      const asked = (input as { ReturnConsumedCapacity?: string }).ReturnConsumedCapacity === "TOTAL";
      return (asked ? { ConsumedCapacity: { CapacityUnits: 5 } } : {}) as never;
    },
    async () => {},
  );
  return { clock, sentAt, port };
}

test("sends so many requests a second and no more", async () => {
  const { clock, sentAt, port } = world();
  const bounded = rateBounded(port, { maxRequestsPerSecond: 10 }, clock);
  const start = clock.monotonic();
  const all = Promise.all(Array.from({ length: 5 }, () => bounded.listTables({})));
  await clock.autoAdvance(() => all);
  expect(sentAt.map((at) => at - start)).toEqual([0, 100, 200, 300, 400]);
});

test("waits until the units of the requests before are paid", async () => {
  const { clock, sentAt, port } = world();
  const bounded = rateBounded(port, { maxUnitsPerSecond: 10 }, clock);
  const start = clock.monotonic();
  const run = async () => {
    for (let at = 0; at < 3; at++) await bounded.query({ TableName: "t" });
  };
  await clock.autoAdvance(run);
  expect(sentAt.map((at) => at - start)).toEqual([0, 500, 1000]);
});

test("without a bound it is the port itself", () => {
  const { clock, port } = world();
  expect(rateBounded(port, {}, clock)).toBe(port);
});

test("a wait ends when the caller gives up", async () => {
  const { clock, port } = world();
  const bounded = rateBounded(port, { maxRequestsPerSecond: 1 }, clock);
  await bounded.listTables({});
  const stop = new AbortController();
  const waiting = bounded.listTables({}, { signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: "CLIENT_ABORTED" });
});

test("a wait that would outlast the call is not begun", async () => {
  const { clock, sentAt, port } = world();
  const bounded = rateBounded(port, { maxUnitsPerSecond: 10, deadlineMs: 800 }, clock);
  const start = clock.monotonic();
  const run = async () => {
    await bounded.query({ TableName: "t" });
    await bounded.query({ TableName: "t" }, { deadlineMs: 10_000 });
    await expect(bounded.query({ TableName: "t" })).rejects.toMatchObject({
      code: "CLIENT_DEADLINE_EXCEEDED",
      ambiguous: false,
    });
  };
  await clock.autoAdvance(run);
  expect(sentAt.map((at) => at - start)).toEqual([0, 500]);
});

test("the deadline of a request does not count its wait, unless that of the call is nearer", async () => {
  const { clock, port } = world();
  const deadlines: unknown[] = [];
  const watched = wrapPort(port, (operation, input, options, next) => {
    deadlines.push(options.deadlineMs);
    return next(operation, input, options);
  });
  for (const call of [{}, { deadlineMs: 800 }]) {
    const bounded = rateBounded(watched, { maxUnitsPerSecond: 10, ...call }, clock);
    await clock.autoAdvance(async () => {
      for (let at = 0; at < 2; at++) await bounded.query({ TableName: "t" }, { deadlineMs: 400 });
    });
  }
  expect(deadlines).toEqual([400, 400, 400, 300]);
});
