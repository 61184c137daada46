/**
 * tablekeep/testing: a whole server for tests.
 *
 * Here: a server in memory on free ports, and an inbox for tests.
 * Not here: a DynamoDB alone, which is `startDynamoDb`, or `openEngine` without HTTP.
 */
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
