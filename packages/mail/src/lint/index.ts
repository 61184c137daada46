/**
 * lint: checks a message for what readers, mail clients and receivers stumble over. Offline and deterministic. It loads no store.
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
