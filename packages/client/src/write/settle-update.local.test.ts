import type { DynamoPort, Key } from "@tablekeep/core";
import { wrapPort } from "@tablekeep/core";
import type { Fault } from "@tablekeep/testkit";
import { describe, expect, inject, test } from "vitest";
import { underFaults } from "../../test/under-faults.ts";
import { idOf, losses, retryingPort, writeWorld } from "../../test/write-world.ts";
import { type SettleUpdateOptions, settleUpdate } from "./settle-update.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("settleUpdate on DynamoDB Local", () => {
  const world = writeWorld(endpoint);
  const options: SettleUpdateOptions = { writeIdAttribute: "wid" };
  const increment = (faulty: DynamoPort, Key: Key, more: Partial<SettleUpdateOptions> = {}) =>
    settleUpdate(
      faulty,
      {
        TableName: world.table,
        Key,
        UpdateExpression: "ADD n :one",
        ExpressionAttributeValues: { ":one": { N: "1" } },
        ReturnValues: "ALL_NEW",
      },
      { ...options, ...more },
    );
  const nextVersion = (faulty: DynamoPort, Key: Key, more: Partial<SettleUpdateOptions> = {}) =>
    settleUpdate(
      faulty,
      {
        TableName: world.table,
        Key,
        UpdateExpression: "SET version = :two ADD n :one",
        ConditionExpression: "version = :one",
        ExpressionAttributeValues: { ":one": { N: "1" }, ":two": { N: "2" } },
      },
      { ...options, appliesAtMostOnce: true, ...more },
    );

  test.each(losses)(
    "%s: an increment is never sent twice; found by its id or unknown",
    async (kind, applied) => {
      const Key = world.newKey();
      const { result, faulty } = await underFaults(
        world.port,
        [{ kind, nth: 1, op: "UpdateItem" }],
        (each, time) => increment(each, Key, time),
      );
      expect(faulty.requestCount("UpdateItem")).toBe(1);
      expect(result.kind).toBe(applied ? "ok" : "unknown");
      expect((await world.read(Key))?.["n"]?.N).toBe(applied ? "1" : undefined);
      if (applied) expect(result).toMatchObject({ value: { found: true, attributes: { n: { N: "1" } } } });
    },
  );

  test("an increment that lands late is found, and counted once", async () => {
    const Key = world.newKey();
    const faults: Fault[] = [{ kind: "delay", ms: 9_100, nth: 1, op: "UpdateItem" }];
    const { result, faulty } = await underFaults(world.port, faults, (each, time) =>
      increment(each, Key, time),
    );
    await faulty.settled();
    expect(result.kind).toBe("ok");
    expect((await world.read(Key))?.["n"]?.N).toBe("1");
  });

  test("another's increment on top of a lost one leaves it unknown", async () => {
    const Key = world.newKey();
    const { result } = await underFaults(
      world.port,
      [{ kind: "lost-after-apply", nth: 1 }],
      (faulty, time) => {
        const overtaken = wrapPort(faulty, async (operation, input, call, next) => {
          if (operation === "GetItem") await increment(faulty, Key);
          return next(operation, input, call);
        });
        return increment(overtaken, Key, time);
      },
    );
    expect(result).toMatchObject({ kind: "unknown", error: { ambiguous: true } });
  });

  test.each(losses)("%s: an update that guards itself is sent again, and applied once", async (kind) => {
    for (const times of [1, 2, 3]) {
      const Key = world.newKey();
      await world.put(Key, { version: { N: "1" } });
      const { result } = await underFaults(
        world.port,
        [{ kind, nth: [1, times], op: "UpdateItem" }],
        (faulty, time) => nextVersion(faulty, Key, time),
      );
      expect(result.kind).toBe("ok");
      expect(await world.read(Key)).toMatchObject({
        n: { N: "1" },
        version: { N: "2" },
        wid: { S: idOf(result) },
      });
    }
  });

  test("its own success behind the port's own retry is ok, not a conflict", async () => {
    const Key = world.newKey();
    await world.put(Key, { version: { N: "1" } });
    const outcome = await nextVersion(retryingPort(world.port, "UpdateItem"), Key);
    expect(outcome).toMatchObject({ kind: "ok", value: { found: true } });
    expect((await world.read(Key))?.["n"]?.N).toBe("1");
  });

  test("another's version is a conflict; after a lost answer it is unknown, unless the caller can decide", async () => {
    const kinds: string[] = [];
    const attribution = () => "theirs" as const;
    for (const [faults, more] of [
      [[], {}],
      [[{ kind: "lost-before-apply", nth: 1 }], {}],
      [[{ kind: "lost-before-apply", nth: 1 }], { attribution }],
    ] as [Fault[], object][]) {
      const Key = world.newKey();
      await world.put(Key, { version: { N: "2" }, wid: { S: "another" } });
      const { result } = await underFaults(world.port, faults, (faulty, time) =>
        nextVersion(faulty, Key, { ...time, ...more }),
      );
      kinds.push(result.kind);
    }
    expect(kinds).toEqual(["conflict", "unknown", "conflict"]);
  });

  test("throttled, it is sent again; throttled to the end, it is rejected", async () => {
    const Key = world.newKey();
    const twice = await underFaults(world.port, [{ kind: "throttle", nth: [1, 2] }], (faulty, time) =>
      increment(faulty, Key, time),
    );
    expect(twice.result).toMatchObject({ kind: "ok", value: { attributes: { n: { N: "1" } } } });
    const always = await underFaults(world.port, [{ kind: "throttle" }], (faulty, time) =>
      increment(faulty, Key, time),
    );
    expect(always.result.kind).toBe("rejected");
    expect((await world.read(Key))?.["n"]?.N).toBe("1");
  });

  test("an update that makes the item too large is rejected", async () => {
    const input = {
      TableName: world.table,
      Key: world.newKey(),
      UpdateExpression: "SET v = :v",
      ExpressionAttributeValues: { ":v": { S: "x".repeat(409_600) } },
    };
    const outcome = await settleUpdate(world.port, input, options);
    expect(outcome).toMatchObject({ kind: "rejected", error: { code: "DYNAMO_VALIDATION" } });
  });
});
