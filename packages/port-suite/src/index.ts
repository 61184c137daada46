/**
 * port-suite: the suite that every DynamoDB port must pass.
 *
 * Here: the cases, each with its source, and the known gaps of DynamoDB Local.
 * Not here: any port, and any test runner.
 */
export type { Backend, PortCase, PortWorld } from "./port-case.ts";
export {
  type DynamoPortSuite,
  type DynamoPortSuiteOptions,
  dynamoPortSuite,
  register,
  type TestRunner,
} from "./port-suite.ts";
