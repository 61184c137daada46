/**
 * testing: what any store or manager of shadows must do, as suites for any test runner, and the checker of histories.
 */
export { checkShadowHistory } from "./check-shadow-history.ts";
export type { ShadowDeed, ShadowDeedEnd, ShadowFinding, ShadowViolation } from "./shadow-history.ts";
