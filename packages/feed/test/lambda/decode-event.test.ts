import type { AttributeValue } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isFeedError } from "../../src/index.ts";
import { batchResponse, decodeEvent, eventSource, processEvent } from "../../src/lambda/index.ts";
import { dynamoDbEvent, kinesisContent, kinesisEvent } from "./documented-events.ts";

describe("an event of a DynamoDB stream", () => {
  test("becomes changes", () => {
    const { arn, changes } = decodeEvent(dynamoDbEvent);
    expect(arn).toMatch(/stream\/2015-06-27T00:48:05\.899$/);
    expect(changes.map(({ record }) => record)).toEqual([
      {
        kind: "insert",
        keys: { Id: { N: "101" } },
        image: { Message: { S: "New item!" }, Id: { N: "101" } },
        sequence: 4421584500000000017450439091n,
        shard: "",
        createdAt: 1428537600000,
      },
      {
        kind: "modify",
        keys: { Id: { N: "101" } },
        image: { Message: { S: "This item has changed" }, Id: { N: "101" } },
        before: { Message: { S: "New item!" }, Id: { N: "101" } },
        sequence: 4421584500000000017450439092n,
        shard: "",
        createdAt: 1428537600000,
      },
      {
        kind: "remove",
        keys: { Id: { N: "101" } },
        before: { Message: { S: "This item has changed" }, Id: { N: "101" } },
        sequence: 4421584500000000017450439093n,
        shard: "",
        createdAt: 1428537601000,
      },
    ]);
  });

  test("with a time window names its shard", () => {
    const { changes } = decodeEvent({ ...dynamoDbEvent, shardId: "shard123456789", window: {}, state: {} });
    expect(new Set(changes.map(({ record }) => record.shard))).toEqual(new Set(["shard123456789"]));
  });

  test("without records has no changes", () => {
    expect(decodeEvent({ Records: [] })).toEqual({ arn: undefined, changes: [] });
  });
});

describe("an event of a Kinesis data stream", () => {
  test("becomes changes, with the numbers of Kinesis and times in microseconds", () => {
    const { arn, changes } = decodeEvent(kinesisEvent(kinesisContent));
    expect(arn).toBe("arn:aws:kinesis:us-east-2:123456789012:stream/lambda-stream");
    expect(changes).toEqual([
      {
        itemIdentifier: "49590338271490256608559692538361571095921575989136588800",
        record: {
          kind: "insert",
          keys: { Id: { N: "101" } },
          image: { Id: { N: "101" }, Bytes: { B: Uint8Array.of(1, 2, 3) } },
          sequence: 49590338271490256608559692538361571095921575989136588800n,
          shard: "shardId-000000000006",
          createdAt: 1428537600123,
        },
      },
    ]);
  });

  test("may have times in milliseconds", () => {
    const { ApproximateCreationDateTimePrecision: _, ...rest } = kinesisContent.dynamodb;
    const dynamodb = { ...rest, ApproximateCreationDateTime: 1_428_537_600_123 };
    const { changes } = decodeEvent(kinesisEvent({ ...kinesisContent, dynamodb }));
    expect(changes[0]?.record.createdAt).toBe(1428537600123);
  });
});

/** Any attribute value, and its form in an event. */
const { value } = fc.letrec<{ value: readonly [AttributeValue, object] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string().map((S) => [{ S }, { S }] as const),
    fc.integer().map((number) => [{ N: String(number) }, { N: String(number) }] as const),
    fc.boolean().map((BOOL) => [{ BOOL }, { BOOL }] as const),
    fc.constant([{ NULL: true }, { NULL: true }] as const),
    fc.uint8Array().map((B) => [{ B }, { B: Buffer.from(B).toString("base64") }] as const),
    fc
      .array(fc.uint8Array(), { minLength: 1 })
      .map((BS) => [{ BS }, { BS: BS.map((each) => Buffer.from(each).toString("base64")) }] as const),
    fc.array(fc.string(), { minLength: 1 }).map((SS) => [{ SS }, { SS }] as const),
    fc
      .array(tie("value"))
      .map((all) => [{ L: all.map(([one]) => one) }, { L: all.map(([, other]) => other) }] as const),
    fc
      .dictionary(fc.string(), tie("value"), { noNullPrototype: true })
      .map((all) => [{ M: mapped(all, 0) }, { M: mapped(all, 1) }] as never),
  ),
}));

function mapped(all: Record<string, readonly unknown[]>, at: number): object {
  return Object.fromEntries(Object.entries(all).map(([name, pair]) => [name, pair[at]]));
}

test("items of any content are decoded, from both kinds of streams", () => {
  const items = fc.dictionary(fc.string(), value, { noNullPrototype: true });
  fc.assert(
    fc.property(items, (item) => {
      const [plain, sent] = [mapped(item, 0), mapped(item, 1)];
      const [first] = dynamoDbEvent.Records;
      const event = { Records: [{ ...first, dynamodb: { ...first?.dynamodb, NewImage: sent } }] };
      // As it arrives: through JSON.
      const decoded = decodeEvent(JSON.parse(JSON.stringify(event)));
      expect(decoded.changes[0]?.record.image).toEqual(plain);
      const dynamodb = { ...kinesisContent.dynamodb, NewImage: sent };
      const other = decodeEvent(kinesisEvent({ ...kinesisContent, dynamodb }));
      expect(other.changes[0]?.record.image).toEqual(plain);
    }),
  );
});

describe("an event in another format", () => {
  const [first] = dynamoDbEvent.Records;
  const withDynamodb = (change: object) => ({
    Records: [first, { ...first, dynamodb: { ...first?.dynamodb, ...change } }],
  });
  test.each<[string, unknown]>([
    ["Records", undefined],
    ["Records", null],
    ["Records", []],
    ["Records", { Records: "all" }],
    ["Records[0]", { Records: [7] }],
    ["Records[0].eventSourceARN", { Records: [{ ...first, eventSourceARN: undefined }] }],
    ["Records[1].eventSourceARN", { Records: [first, { ...first, eventSourceARN: "arn:other" }] }],
    ["Records[0].eventSource", { Records: [{ ...first, eventSource: "aws:sqs" }] }],
    ["Records[0].eventName", { Records: [{ ...first, eventName: "constructor" }] }],
    ["Records[0].dynamodb", { Records: [{ ...first, dynamodb: undefined }] }],
    ["Records[1].dynamodb.Keys", withDynamodb({ Keys: undefined })],
    ["Records[1].dynamodb.Keys.Id", withDynamodb({ Keys: { Id: 101 } })],
    ["Records[1].dynamodb.Keys.Id", withDynamodb({ Keys: { Id: { N: 101 } } })],
    ["Records[1].dynamodb.Keys.Id", withDynamodb({ Keys: { Id: { toString: "1" } } })],
    ["Records[1].dynamodb.NewImage.a.L[0]", withDynamodb({ NewImage: { a: { L: [{ S: "a", N: "1" }] } } })],
    ["Records[1].dynamodb.SequenceNumber", withDynamodb({ SequenceNumber: 1 })],
    ["Records[1].dynamodb.SequenceNumber", withDynamodb({ SequenceNumber: "x" })],
    [
      "Records[1].dynamodb.ApproximateCreationDateTime",
      withDynamodb({ ApproximateCreationDateTime: "2015-06-27" }),
    ],
    ["Records[1].dynamodb.ApproximateCreationDateTime", withDynamodb({ ApproximateCreationDateTime: 1e300 })],
    ["Records[0].kinesis.data.dynamodb", kinesisEvent({})],
    [
      "Records[0].kinesis.data",
      { Records: [{ ...kinesisEvent({}).Records[0], kinesis: { sequenceNumber: "1" } }] },
    ],
    [
      "Records[0].kinesis.data",
      { Records: [{ ...kinesisEvent({}).Records[0], kinesis: { sequenceNumber: "1", data: "!" } }] },
    ],
    ["Records[0].kinesis.data.eventName", kinesisEvent({ ...kinesisContent, eventName: 1 })],
  ])("names %s, case %#", (path, event) => {
    let thrown: unknown;
    try {
      decodeEvent(event);
    } catch (error) {
      thrown = error;
    }
    expect(isFeedError(thrown, "FEED_RECORD_INVALID") && thrown.details.path).toBe(path);
  });

  test("any other value is a typed error, too", () => {
    fc.assert(
      fc.property(fc.anything(), (event) => {
        try {
          decodeEvent({ Records: [event] });
        } catch (error) {
          expect(isFeedError(error, "FEED_RECORD_INVALID")).toBe(true);
        }
      }),
    );
  });
});

describe("the response", () => {
  const event = decodeEvent(dynamoDbEvent);

  test.each([
    [0, [{ itemIdentifier: "4421584500000000017450439091" }]],
    [2, [{ itemIdentifier: "4421584500000000017450439093" }]],
    [3, []],
  ])("after %i changes names the first that failed", (processed, batchItemFailures) => {
    expect(batchResponse(event, processed)).toEqual({ batchItemFailures });
  });

  test.each([Number.NaN, -1, 1.5, 4, "3", undefined])("rejects %s processed changes", (processed) => {
    expect(() => batchResponse(event, processed as never)).toThrow(
      expect.objectContaining({
        code: "FEED_OPTION_INVALID",
        details: expect.objectContaining({ option: "processed" }),
      }),
    );
  });

  test("names the change whose processing failed, and no later one was processed", async () => {
    const seen: string[] = [];
    const failure = new Error("no");
    const result = await processEvent(event, async ({ itemIdentifier, record }) => {
      if (record.kind === "modify") throw failure;
      seen.push(itemIdentifier);
    });
    expect(result).toEqual({
      response: { batchItemFailures: [{ itemIdentifier: "4421584500000000017450439092" }] },
      processed: 1,
      error: failure,
    });
    expect(seen).toEqual(["4421584500000000017450439091"]);
  });

  test("every change is processed once if AWS Lambda sends the rest again", async () => {
    let left = dynamoDbEvent.Records;
    const seen: string[] = [];
    let attempts = 0;
    while (left.length > 0) {
      const { response } = await processEvent(decodeEvent({ Records: left }), ({ itemIdentifier }) => {
        attempts++;
        if (attempts % 2 === 0) throw new Error("no");
        seen.push(itemIdentifier);
      });
      const [failed] = response.batchItemFailures;
      const from = left.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === failed?.itemIdentifier);
      left = from === -1 ? [] : left.slice(from);
    }
    expect(seen).toEqual(dynamoDbEvent.Records.map(({ dynamodb }) => dynamodb.SequenceNumber));
  });
});

test("an event is a source of one batch", async () => {
  const source = eventSource(decodeEvent(dynamoDbEvent));
  const batches = [];
  for await (const batch of source.read(new Map(), { signal: new AbortController().signal }))
    batches.push(batch);
  expect(batches).toHaveLength(1);
  expect(batches[0]?.records).toHaveLength(3);
  expect(batches[0]?.positions.get("")).toEqual({
    sequence: 4421584500000000017450439093n,
    seenUntil: 1428537601000,
    closed: false,
    parents: [],
  });
});
