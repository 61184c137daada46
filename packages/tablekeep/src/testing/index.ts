/**
 * tablekeep/testing: a whole server for tests.
 *
 * Here: a server in memory on free ports, an inbox for tests, and simulated devices.
 * Not here: a DynamoDB alone, which is `startDynamoDb`, or `openEngine` without HTTP.
 */

export {
  type SimulationOptions,
  type SimulationResult,
  simulateDevices,
} from "../simulator/simulate-devices.ts";
export {
  type Inbox,
  type InboxOptions,
  inboxAt,
  type ReceivedFile,
  type ReceivedMail,
  type WaitOptions,
  type WantedMail,
} from "./inbox.ts";
export { startTestServer, type TestServer } from "./start-test-server.ts";
export { type CreateInboxOptions, createInbox, type TestInbox } from "./test-inbox.ts";
