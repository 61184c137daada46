/**
 * testing: what any journal or snapshot store must do, as suites for any test runner.
 */
export type {
  SnapshotAbilities,
  SnapshotCase,
  SnapshotStoreUnderTest,
  SnapshotWorld,
} from "./snapshot-case.ts";
export {
  type SnapshotSuite,
  type SnapshotSuiteOptions,
  snapshotCases,
  snapshotSuite,
} from "./snapshot-suite.ts";
