import { buildPort, type CallOptions, type DynamoPort, systemClock } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { type Fault, fakeClock, faultyPort } from "../index.ts";

const put = { TableName: "carts", Item: { pk: { S: "1" } } };

/** A port that answers every request, once `answer` does. */
const answering = (answer: (options: CallOptions) => Promise<object> = async () => ({})): DynamoPort =>
  buildPort(
    (_operation, _input, options) => answer(options) as never,
    async () => {},
  );

describe("a port with faults", () => {
  test("ends a call at its deadline, even if it hangs long after the write was sent", async () => {
    const clock = fakeClock();
    const schedule = "seed=1 faults=[{kind:hang-after-apply},{kind:delay,ms:900}]";
    const faulty = faultyPort(answering(), schedule, { clock });
    const call = faulty.putItem(put, { deadlineMs: 1_000 }).catch((error: unknown) => error);
    expect(await clock.autoAdvance(() => call)).toMatchObject({
      code: "CLIENT_DEADLINE_EXCEEDED",
      ambiguous: true,
    });
    expect(clock.monotonic()).toBe(1_000);
  });

  /** Timers that keep the process alive. */
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

  test.each(["hang", "delay-answer,ms:60000"])(
    "keeps the process alive on the system clock while a caller waits for %s, and not after that",
    async (kind) => {
      const before = timers();
      const faulty = faultyPort(answering(), `seed=1 faults=[{kind:${kind}}]`, { clock: systemClock });
      const caller = new AbortController();
      const call = faulty.putItem(put, { signal: caller.signal }).catch((error: unknown) => error);
      expect(timers()).toBe(before + 1);
      caller.abort();
      expect(timers()).toBe(before);
      expect(await call).toMatchObject({ kind: "aborted" });
    },
  );

  test("keeps the process alive until a delayed request lands, although its caller gave up", async () => {
    let landed = 0;
    const port = answering(async () => ({ landed: ++landed }));
    const faulty = faultyPort(port, "seed=1 faults=[{kind:delay,ms:50}]", { clock: systemClock });
    const caller = new AbortController();
    const before = timers();
    const call = faulty.putItem(put, { signal: caller.signal }).catch((error: unknown) => error);
    caller.abort();
    expect([timers(), landed]).toEqual([before + 1, 0]);
    expect(await call).toMatchObject({ kind: "aborted" });
    await faulty.settled();
    expect(landed).toBe(1);
  });

  test("rejects a fault with a field that does not exist: it would strike everywhere", () => {
    const misspelled = { kind: "throttle", operation: "PutItem" } as unknown as Fault;
    expect(() => faultyPort(answering(), { seed: 1, faults: [misspelled] })).toThrow(
      "throttle has no field operation; it has at, nth, op",
    );
  });

  test("is not busy after a port that throws at once", async () => {
    const broken = {
      ...answering(),
      putItem: () => {
        throw new TypeError("no such thing");
      },
    } as DynamoPort;
    const faulty = faultyPort(broken, "seed=1 faults=[]");
    await expect((async () => faulty.putItem(put))()).rejects.toThrow("no such thing");
    expect(faulty.busy()).toBe(false);
  });
});
