import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { ensureTable, httpPort } from "@tablekeep/client";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { expect, test } from "vitest";
import { startDynamoDb } from "../src/server/dynamodb/start-dynamodb.ts";

/** undici reports here that a request is written to its connection. */
const channel = "undici:client:sendHeaders";

test("over HTTP, the request for a page is written before a loop that waits for nothing else uses the page before it", async () => {
  await using server = await startDynamoDb({ port: 0 });
  await using port = httpPort({
    endpoint: server.endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const options = { table: "events", layout: "packed" } as const;
  await ensureTable(port, journalTableSpec(options));
  const journal = await openJournal(port, options);
  const writer = await journal.recover("a");
  for (let write = 0; write < 20; write++)
    unwrap(await writer.append(Array.from({ length: 50 }, () => ({ payload: "x".repeat(4000) }))));
  let last = 0;
  const writtenAt: number[] = [];
  const onWritten = () => writtenAt.push(last);
  subscribe(channel, onWritten);
  try {
    for await (const { sequenceNr } of journal.replay("a")) last = sequenceNr;
  } finally {
    unsubscribe(channel, onWritten);
  }
  expect(last).toBe(1000);
  // Two requests begin a replay: the first page of 300 events, and the end.
  expect(writtenAt).toEqual([0, 0, 300, 600, 600]);
});
