import { randomBytes } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { connect } from "@tablekeep/client";
import { systemClock } from "@tablekeep/core";
import { seededRandom } from "@tablekeep/testkit";
import { describe, expect, inject, test } from "vitest";
import { type ChangeRecord, ensureStream, isFeedError, openStreamSource } from "../src/index.ts";
import { Checkpoint, createThings, readSome, Written, writeRandomly } from "./stream-world.ts";

const endpoint = inject("dynamoDbLocal");
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const settings = { endpoint, region: "us-east-1", credentials };
const fast = { pollMs: 20, maxPollMs: 100, readsPerSecond: 100, emptyReadsAtEnd: 2 };

describe.skipIf(endpoint === "").each([
  ["the HTTP port", () => connect(settings)],
  ["an SDK client", () => connect({ client: new DynamoDBClient(settings) })],
])("a stream on DynamoDB Local through %s", (_name, open) => {
  test("every change is seen once and in order, from checkpoints, and a disabled stream to its end", async () => {
    const table = `things-${randomBytes(4).toString("hex")}`;
    await using port = open();
    await createThings(port, "NEW_IMAGE", table);
    const world = { port, clock: systemClock, table };
    const written = new Written();
    const checkpoint = new Checkpoint();
    const seen: ChangeRecord[] = [];
    for (let round = 0; round < 5; round++) {
      await writeRandomly(world, seededRandom(round), written, 30, 0);
      const until = (some: readonly ChangeRecord[]) => seen.length + some.length >= written.count - 5;
      seen.push(...(await readSome(world, { checkpoint, options: { ...fast, pageRecords: 7 }, until })));
    }
    const { arn: streamArn } = await ensureStream(port, table, "NEW_IMAGE");
    await port.updateTable({ TableName: table, StreamSpecification: { StreamEnabled: false } });
    const options = { ...fast, streamArn };
    const source = await openStreamSource(port, { tableName: table, ...options });
    const reading = async () => {
      const { signal } = new AbortController();
      const { from, seenUntil } = checkpoint;
      for await (const { records } of source.read(from, { signal, seenUntil })) seen.push(...records);
    };
    const error = await reading().catch((thrown: unknown) => thrown);
    expect(isFeedError(error, "FEED_STREAM_CHANGED") && error.details).toEqual({
      streamArn,
      currentArn: undefined,
      complete: true,
    });
    written.compare(seen);
    expect(await ensureStream(port, table, "KEYS_ONLY")).toMatchObject({ enabled: true });
    await port.deleteTable({ TableName: table });
  });
});
