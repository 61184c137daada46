/**
 * matchers: assertions about mail for vitest, Jest and Playwright, and pictures by Playwright. It depends on none of them.
 */
export type { AssertedMail } from "./asserted-message.ts";
export {
  type MailMatchers,
  type MailMatchersWithSnapshot,
  type MatchResult,
  mailMatchers,
  mailMatchersFor,
  type PassLintOptions,
  type SnapshotExpect,
} from "./mail-matchers.ts";
export { type MailSnapshotOptions, mailSnapshot } from "./mail-snapshot.ts";
export { type PictureOptions, type PicturePage, pictureOf } from "./picture-of.ts";
