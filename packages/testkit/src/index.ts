/**
 * testkit: tools for testing stores.
 *
 * Here: fault schedules, stops and interleavings at every request, a clock and randomness under the test's control.
 * Not here: any concrete store or backend, and any test runner; everything runs under all of them.
 */
export {
  isTestkitError,
  type ReachedStop,
  type StopPoint,
  type StopVariant,
  TestkitError,
  type TestkitErrorCode,
  type TestkitErrorDetails,
  testkitErrorKinds,
} from "./base/testkit-error.ts";
export {
  type AutoAdvanceOptions,
  type FakeClock,
  type FakeClockOptions,
  fakeClock,
} from "./clock/fake-clock.ts";
export type {
  Fault,
  FaultAction,
  FaultKind,
  FaultSchedule,
  FaultTarget,
  RequestRange,
} from "./faults/fault-schedule.ts";
export {
  type FaultyPort,
  type FaultyPortOptions,
  faultyPort,
  type InjectedFault,
} from "./faults/faulty-port.ts";
export { type RandomScheduleOptions, randomSchedule } from "./faults/random-schedule.ts";
export { parseSchedule, printFault, printSchedule } from "./faults/schedule-text.ts";
export { type ShrinkOptions, type ShrinkRun, shrinkSchedule } from "./faults/shrink-schedule.ts";
export {
  type History,
  type HistoryEvent,
  type HistoryMoment,
  type HistoryOperation,
  type HistoryRecorder,
  type HistoryRecorderOptions,
  historyRecorder,
  operationsOf,
} from "./history/history-recorder.ts";
export {
  type ExploreOptions,
  type ExploreReport,
  exploreInterleavings,
} from "./interleave/explore-interleavings.ts";
export {
  type PauseAtEveryOptions,
  type PauseReport,
  type PauseResult,
  type PauseScenario,
  pauseAtEvery,
} from "./interleave/pause-at-every.ts";
export type { Actor, InterleavingScenario } from "./interleave/run-interleaved.ts";
export { type SeededRandom, seededRandom } from "./random/seeded-random.ts";
export {
  type StopAfterNthOptions,
  type StopReport,
  type StopScenario,
  stopAfterNth,
  type World,
} from "./stop-after-nth/stop-after-nth.ts";
