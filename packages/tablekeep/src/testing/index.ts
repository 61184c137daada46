/**
 * tablekeep/testing: a whole server for tests.
 *
 * Here: a server in memory on free ports, and an inbox for tests.
 * Not here: a DynamoDB alone, which is `startDynamoDb`, or `openEngine` without HTTP.
 */
export { type Inbox, inboxAt, type ReceivedMail, type WaitOptions } from "./inbox.ts";
export { startTestServer, type TestServer } from "./start-test-server.ts";
