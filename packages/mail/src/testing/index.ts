/**
 * testing: the suite that every mail store must pass, for any test runner.
 */
export type { MailAbilities, MailCase, MailWorld } from "./mail-case.ts";
export { type MailSuite, type MailSuiteOptions, mailCases, mailSuite } from "./mail-suite.ts";
