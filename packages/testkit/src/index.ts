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
export { type SeededRandom, seededRandom } from "./random/seeded-random.ts";
export { TestkitError, type TestkitErrorCode, type TestkitErrorDetails } from "./testkit-error.ts";
