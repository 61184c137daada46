/**
 * testing: what any mail store must do, as a suite for any test runner.
 */
export type { MailAbilities, MailCase, MailWorld } from "./mail-case.ts";
export { type MailSuite, type MailSuiteOptions, mailCases, mailSuite } from "./mail-suite.ts";
