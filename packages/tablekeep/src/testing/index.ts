/**
 * tablekeep/testing: what tests need, for vitest, Jest, Playwright and node:test.
 *
 * Here: `isolate`, which gives each test its own DynamoDB, inbox, journals, shadows and devices; assertions; a whole server in memory on
 * free ports; and simulated devices.
 * Not here: a DynamoDB alone, which is `startDynamoDb`, or `openEngine` without HTTP.
 */

export {
  type SimulationOptions,
  type SimulationResult,
  simulateDevices,
} from "../simulator/simulate-devices.ts";
export { assertEvents, assertMail, assertReported } from "./assertions.ts";
export { fixtures, type TestFixtures } from "./fixtures.ts";
export {
  type Inbox,
  type InboxOptions,
  inboxAt,
  type WaitOptions,
  type WantedMail,
} from "./inbox.ts";
export { type Isolated, isolate, type TestOwner } from "./isolate.ts";
export { type ExpectedMail, matchers, type TestMatchers } from "./matchers.ts";
export type { ReceivedFile, ReceivedMail } from "./received-mail.ts";
export type { ShadowState, ShadowVersion } from "./shadow-changes.ts";
export { startTestServer, type TestServer } from "./start-test-server.ts";
export type { DeviceAnswer, DeviceOptions, ReportOptions, TestDevice } from "./test-device.ts";
export type { EventWait, TestEvents, WantedPayload } from "./test-events.ts";
export { type CreateInboxOptions, createInbox, type TestInbox } from "./test-inbox.ts";
export type { ShadowWait, TestShadow, WantedShadow } from "./test-shadow.ts";
export type { WaitLimits } from "./wait-until.ts";
