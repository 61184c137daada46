/**
 * testkit: what tests of a store need beside the store.
 *
 * Here: the suite that every DynamoDB port must pass, fault schedules, a clock and randomness under the test's control.
 * Not here: any concrete room, and any test runner; the suites run under all of them.
 */
export {
  type DynamoPortSuite,
  type DynamoPortSuiteOptions,
  dynamoPortSuite,
  register,
  type TestRunner,
} from "./dynamo-port-suite/dynamo-port-suite.ts";
export type { Backend, PortCase, PortWorld } from "./dynamo-port-suite/port-case.ts";
