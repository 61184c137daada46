import type { Clock, DynamoPort, Random } from "@tablekeep/core";
import { type Fault, type FaultyPort, fakeClock, faultyPort } from "@tablekeep/testkit";

/** Options of an operation under test: a clock that advances while nothing is in flight, and the longest waits. */
export interface FakeTime {
  readonly clock: Clock;
  readonly random: Random;
}

export interface FaultyRun<Result> {
  readonly result: Result;
  /** The port with faults, to ask what it saw. */
  readonly faulty: FaultyPort;
  /** How long it took, in milliseconds of the fake clock. */
  readonly tookMs: number;
}

/** Runs `work` on `port` with faults, in fake time: waits end at once, and deadlines still apply. */
export async function underFaults<Result>(
  port: DynamoPort,
  faults: readonly Fault[],
  work: (port: FaultyPort, time: FakeTime) => Promise<Result>,
): Promise<FaultyRun<Result>> {
  const clock = fakeClock();
  const faulty = faultyPort(port, { seed: 1, faults }, { clock });
  const time = { clock, random: () => 0.999 };
  const result = await clock.autoAdvance(() => work(faulty, time), { busy: () => faulty.busy() });
  return { result, faulty, tookMs: clock.monotonic() };
}
