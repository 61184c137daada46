import { buildPort, DynamoError, type DynamoPort, type OperationName } from "@tablekeep/core";
import { seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import {
  ensureStream,
  type FeedErrorCode,
  isFeedError,
  openStreamSource,
  type StreamSourceOptions,
} from "../src/index.ts";
import { Checkpoint, readSome, streamWorld, tableName, Written, writeRandomly } from "./stream-world.ts";

/** Returns the code and the details of the error that `work` throws. */
async function failure(work: Promise<unknown>): Promise<unknown> {
  const error = (await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as { code?: FeedErrorCode; details?: object } | undefined;
  if (error?.code === undefined) throw error;
  return { code: error.code, ...error.details };
}

/** A port that fails as long as `fails` returns an exception for a request. */
function failing(port: DynamoPort, fails: (operation: OperationName, count: number) => string | undefined) {
  const counts = new Map<OperationName, number>();
  return buildPort(
    async (operation, input, options) => {
      const count = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, count);
      const exception = fails(operation, count);
      if (exception !== undefined) throw new DynamoError({ exception, serviceMessage: "no" });
      const method = `${operation.charAt(0).toLowerCase()}${operation.slice(1)}` as "getItem";
      return (await port[method](input as never, options)) as never;
    },
    async () => {},
  );
}

describe("opening", () => {
  test("a table without a stream", async () => {
    await using world = await streamWorld();
    await world.port.updateTable({ TableName: tableName, StreamSpecification: { StreamEnabled: false } });
    expect(await failure(openStreamSource(world.port, { tableName }))).toEqual({
      code: "FEED_STREAM_MISSING",
      tableName,
    });
  });

  test.each([
    ["OLD_IMAGE", "keys", false],
    ["OLD_IMAGE", "image", false],
    ["KEYS_ONLY", "image", false],
    ["KEYS_ONLY", "keys", true],
    ["NEW_IMAGE", "image", true],
    ["NEW_AND_OLD_IMAGES", "image", true],
  ] as const)("a stream of %s where %s are needed", async (view, needs, suits) => {
    await using world = await streamWorld(undefined, view);
    const opening = openStreamSource(world.port, { tableName, needs });
    if (suits) expect((await opening).arn).toContain("/stream/");
    else
      expect(await failure(opening)).toMatchObject({ code: "FEED_STREAM_VIEW_UNSUITABLE", viewType: view });
  });

  test("records of KEYS_ONLY have no image", async () => {
    await using world = await streamWorld(undefined, "KEYS_ONLY");
    await world.port.putItem({
      TableName: tableName,
      Item: { pk: { S: "a" }, sk: { N: "1" }, more: { S: "x" } },
    });
    const seen = await world.clock.autoAdvance(() =>
      readSome(world, { checkpoint: new Checkpoint(), until: (records) => records.length > 0 }),
    );
    expect(seen).toEqual([
      {
        kind: "insert",
        keys: { pk: { S: "a" }, sk: { N: "1" } },
        sequence: expect.any(BigInt),
        shard: expect.stringMatching(/^shardId-/),
        createdAt: Date.UTC(2020, 0, 1),
      },
    ]);
  });

  test("a stream that does not exist", async () => {
    await using world = await streamWorld();
    const { arn } = await openStreamSource(world.port, { tableName });
    const streamArn = arn.replace(/stream\/.*$/, "stream/2019-01-01T00:00:00.000");
    expect(await failure(openStreamSource(world.port, { tableName, streamArn }))).toMatchObject({
      code: "FEED_STREAM_CHANGED",
      complete: false,
    });
  });

  test.each<[string, object]>([
    ["tableName", { tableName: "" }],
    ["pollMs", { tableName, pollMs: 0 }],
    ["pageRecords", { tableName, pageRecords: 1001 }],
    ["readsPerSecond", { tableName, readsPerSecond: 0 }],
    ["needs", { tableName, needs: "all" }],
    ["unknown", { tableName, unknown: 1 }],
    ["tableName", {}],
  ])("an unsuitable option %s", async (option, options) => {
    await using world = await streamWorld();
    const opening = openStreamSource(world.port, options as StreamSourceOptions);
    expect(await failure(opening)).toMatchObject({ code: "FEED_OPTION_INVALID", option });
  });

  test("without permission", async () => {
    await using world = await streamWorld();
    const port = failing(world.port, () => "AccessDeniedException");
    expect(await failure(openStreamSource(port, { tableName }))).toEqual({
      code: "FEED_STREAM_DENIED",
      action: "dynamodb:DescribeTable",
      resource: tableName,
    });
  });
});

describe("reading", () => {
  const read = async (
    port: DynamoPort,
    world: Awaited<ReturnType<typeof streamWorld>>,
    count: number,
    options: Partial<StreamSourceOptions> = {},
  ) =>
    world.clock.autoAdvance(() =>
      readSome(
        { ...world, port },
        { checkpoint: new Checkpoint(), options, until: (seen) => seen.length >= count },
      ),
    );

  test.each(["DescribeStream", "GetShardIterator", "GetRecords"] as const)(
    "%s without permission",
    async (denied) => {
      await using world = await streamWorld();
      const port = failing(world.port, (operation) =>
        operation === denied ? "AccessDeniedException" : undefined,
      );
      expect(await failure(read(port, world, 1))).toMatchObject({
        code: "FEED_STREAM_DENIED",
        action: `dynamodb:${denied}`,
        resource: expect.stringContaining("/stream/"),
      });
    },
  );

  test.each(["LimitExceededException", "ThrottlingException", "InternalServerError"])(
    "continues after %s",
    async (exception) => {
      await using world = await streamWorld({ streams: { shards: 3, shardRecords: 4 } });
      const random = seededRandom(exception);
      const port = failing(world.port, (operation) =>
        ["GetRecords", "GetShardIterator"].includes(operation) && random.chance(0.3) ? exception : undefined,
      );
      const written = new Written();
      await world.clock.autoAdvance(() => writeRandomly(world, seededRandom(7), written, 50));
      written.compare(await read(port, world, written.count));
    },
  );

  test("throws after too many failures in a row", async () => {
    await using world = await streamWorld();
    let reads = 0;
    const port = failing(world.port, (operation) => {
      if (operation !== "GetRecords") return undefined;
      reads++;
      return "ThrottlingException";
    });
    expect(await failure(read(port, world, 1, { maxFailures: 4 }))).toMatchObject({
      code: "DYNAMO_THROTTLING",
    });
    expect(reads).toBe(4);
  });

  test("a disabled stream is read to its end before it is an error", async () => {
    await using world = await streamWorld({ streams: { shards: 2, shardRecords: 5 } });
    const { port, clock } = world;
    const written = new Written();
    await clock.autoAdvance(() => writeRandomly(world, seededRandom(5), written, 40));
    const { arn: streamArn } = await openStreamSource(port, { tableName });
    const enable = (StreamEnabled: boolean) =>
      port.updateTable({
        TableName: tableName,
        StreamSpecification: { StreamEnabled, ...(StreamEnabled && { StreamViewType: "NEW_IMAGE" }) },
      });
    await enable(false);
    await enable(true);
    const { arn: currentArn } = await openStreamSource(port, { tableName });
    const source = await openStreamSource(port, { tableName, streamArn, clock });
    let seen: readonly Parameters<Written["compare"]>[0][number][] = [];
    const reading = clock.autoAdvance(async () => {
      const { signal } = new AbortController();
      for await (const { records } of source.read(new Map(), { signal })) seen = [...seen, ...records];
    });
    expect(await failure(reading)).toEqual({
      code: "FEED_STREAM_CHANGED",
      streamArn,
      currentArn,
      complete: true,
    });
    written.compare(seen);
  });

  test("ends when the signal aborts, even during a wait", async () => {
    await using world = await streamWorld();
    const { port, clock } = world;
    const source = await openStreamSource(port, { tableName, clock });
    const stop = new AbortController();
    let batches = 0;
    await clock.autoAdvance(async () => {
      for await (const _ of source.read(new Map(), { signal: stop.signal })) {
        batches++;
        if (batches === 3) clock.after(1, () => stop.abort());
      }
    });
    expect(batches).toBeGreaterThanOrEqual(3);
    for await (const _ of source.read(new Map(), { signal: stop.signal })) batches = Number.NaN;
    expect(batches).not.toBeNaN();
  });

  test("reads nothing ahead of a slow caller beyond one page of each shard", async () => {
    await using world = await streamWorld();
    let reads = 0;
    const port = failing(world.port, (operation) => {
      if (operation === "GetRecords") reads++;
      return undefined;
    });
    const written = new Written();
    await world.clock.autoAdvance(() => writeRandomly(world, seededRandom(2), written, 100, 0));
    const { clock } = world;
    const source = await openStreamSource(port, { tableName, clock, pageRecords: 10 });
    const { signal } = new AbortController();
    const batches = source.read(new Map(), { signal })[Symbol.asyncIterator]();
    for (let expected = 1; expected <= 5; expected++) {
      await clock.autoAdvance(() => batches.next());
      await clock.advance(10_000);
      expect(reads).toBe(expected);
    }
    await batches.return?.();
  });
});

describe("ensureStream", () => {
  test("enables a stream once, also from two processes", async () => {
    await using world = await streamWorld();
    const { port, clock } = world;
    await port.updateTable({ TableName: tableName, StreamSpecification: { StreamEnabled: false } });
    const results = await clock.autoAdvance(() =>
      Promise.all([1, 2].map(() => ensureStream(port, tableName, "NEW_IMAGE", { clock }))),
    );
    expect(new Set(results.map(({ arn }) => arn)).size).toBe(1);
    expect(results.filter(({ enabled }) => enabled)).toHaveLength(1);
    expect(await clock.autoAdvance(() => ensureStream(port, tableName, "KEYS_ONLY", { clock }))).toEqual({
      arn: results[0]?.arn,
      viewType: "NEW_IMAGE",
      enabled: false,
    });
  });

  test("leaves a stream that contains less as it is", async () => {
    await using world = await streamWorld(undefined, "KEYS_ONLY");
    expect(await failure(ensureStream(world.port, tableName, "NEW_IMAGE"))).toMatchObject({
      code: "FEED_STREAM_VIEW_UNSUITABLE",
    });
  });

  test("without permission", async () => {
    await using world = await streamWorld();
    await world.port.updateTable({ TableName: tableName, StreamSpecification: { StreamEnabled: false } });
    const port = failing(world.port, (operation) =>
      operation === "UpdateTable" ? "AccessDeniedException" : undefined,
    );
    expect(await failure(ensureStream(port, tableName, "NEW_IMAGE"))).toEqual({
      code: "FEED_STREAM_DENIED",
      action: "dynamodb:UpdateTable",
      resource: tableName,
    });
  });

  test("throws at its deadline while a table is busy", async () => {
    await using world = await streamWorld();
    const { clock } = world;
    await world.port.updateTable({ TableName: tableName, StreamSpecification: { StreamEnabled: false } });
    const port = failing(world.port, (operation) =>
      operation === "UpdateTable" ? "ResourceInUseException" : undefined,
    );
    const ensuring = clock.autoAdvance(() =>
      ensureStream(port, tableName, "NEW_IMAGE", { clock, deadlineMs: 5000 }),
    );
    const error = await ensuring.catch((thrown: unknown) => thrown);
    expect(isFeedError(error, "FEED_STREAM_MISSING")).toBe(true);
  });

  test("is aborted while it waits for a busy table", async () => {
    await using world = await streamWorld();
    const { clock } = world;
    await world.port.updateTable({ TableName: tableName, StreamSpecification: { StreamEnabled: false } });
    const aborting = new AbortController();
    const port = failing(world.port, (operation, count) => {
      if (operation !== "UpdateTable") return undefined;
      if (count === 3) aborting.abort();
      return "ResourceInUseException";
    });
    const ensuring = clock.autoAdvance(() =>
      ensureStream(port, tableName, "NEW_IMAGE", { clock, signal: aborting.signal }),
    );
    expect(await failure(ensuring)).toEqual({ code: "FEED_ABORTED" });
  });
});
