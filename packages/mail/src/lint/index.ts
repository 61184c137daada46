/**
 * lint: checks a message for problems of readers, mail clients and receivers. Offline and deterministic; does not load the store.
 */
export { supportDate } from "./html/client-support-data.ts";
export { type LintOptions, lintMessage } from "./lint-message.ts";
export {
  type LintFinding,
  type LintRule,
  type LintRuleId,
  type LintSeverity,
  lintRules,
} from "./lint-rules.ts";
export { type Linter, type LinterOptions, openLinter } from "./open-linter.ts";
export type { LintSender } from "./rules/authentication-rules.ts";
