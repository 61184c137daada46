/**
 * testkit: what tests of a store need beside the store.
 *
 * Here: the suite that every DynamoDB port must pass, fault schedules, a clock and randomness under the test's control.
 * Not here: any concrete room, and any test runner; the suites run under all of them.
 */
export {
  type AutoAdvanceOptions,
  type FakeClock,
  type FakeClockOptions,
  fakeClock,
} from "./clock/fake-clock.ts";
export {
  type DynamoPortSuite,
  type DynamoPortSuiteOptions,
  dynamoPortSuite,
  register,
  type TestRunner,
} from "./dynamo-port-suite/dynamo-port-suite.ts";
export type { Backend, PortCase, PortWorld } from "./dynamo-port-suite/port-case.ts";
export type { WrongPort } from "./dynamo-port-suite/wrong-ports/wrong-port.ts";
export { wrongPorts } from "./dynamo-port-suite/wrong-ports/wrong-ports.ts";
export type {
  Fault,
  FaultAction,
  FaultKind,
  FaultPlace,
  FaultSchedule,
  RequestRange,
} from "./faults/fault-schedule.ts";
export {
  type FaultyPort,
  type FaultyPortOptions,
  faultyPort,
  type InjectedFault,
} from "./faults/faulty-port.ts";
export { parseSchedule } from "./faults/parse-schedule.ts";
export { printFault, printSchedule } from "./faults/print-schedule.ts";
export { type RandomScheduleOptions, randomSchedule } from "./faults/random-schedule.ts";
export { type ShrinkOptions, type ShrinkRun, shrinkSchedule } from "./faults/shrink-schedule.ts";
export type { History, HistoryEvent, HistoryMoment, HistoryOperation } from "./history/history.ts";
export {
  type HistoryRecorder,
  type HistoryRecorderOptions,
  historyRecorder,
} from "./history/history-recorder.ts";
export { operationsOf } from "./history/operations-of.ts";
export {
  type ExploreOptions,
  type ExploreReport,
  exploreInterleavings,
} from "./interleave/explore-interleavings.ts";
export type { Actor, InterleavingScenario } from "./interleave/interleaving-scenario.ts";
export {
  type PauseAtEveryOptions,
  type PauseReport,
  type PauseResult,
  type PauseScenario,
  pauseAtEvery,
} from "./interleave/pause-at-every.ts";
export { type SeededRandom, seededRandom } from "./random/seeded-random.ts";
export {
  type StopAfterNthOptions,
  type StopReport,
  type StopScenario,
  stopAfterNth,
  type World,
} from "./stop-after-nth/stop-after-nth.ts";
export type { ReachedStop, StopPoint, StopVariant } from "./stop-after-nth/stop-point.ts";
export {
  isTestkitError,
  TestkitError,
  type TestkitErrorCode,
  type TestkitErrorDetails,
  testkitErrorKinds,
} from "./testkit-error.ts";
