/**
 * testing: what any store or manager of shadows must do, as a suite for any test runner, and the checker of histories.
 */

export type {
  ShadowHistoryEntry,
  ShadowHistoryOperation,
  ShadowHistoryResult,
  ShadowViolation,
} from "./check-shadow-history.ts";
export { checkShadowHistory } from "./check-shadow-history.ts";
export type { ShadowCase, ShadowSuiteWorld, ShadowsUnderTest } from "./suite/shadow-case.ts";
export { type ShadowSuite, type ShadowSuiteOptions, shadowCases, shadowSuite } from "./suite/shadow-suite.ts";
