import type { DynamoPort, Item, Key } from "@tablekeep/core";
import type { Fault } from "@tablekeep/testkit";
import { describe, expect, inject, test } from "vitest";
import { recordedPort } from "../../test/recorded-port.ts";
import { underFaults } from "../../test/under-faults.ts";
import { idOf, losses, retryingPort, writeWorld } from "../../test/write-world.ts";
import { type SettlePutOptions, settlePut } from "./settle-put.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("settlePut on DynamoDB Local", () => {
  const world = writeWorld(endpoint);
  const insertOnly: SettlePutOptions = {
    writeIdAttribute: "wid",
    keyNames: ["pk", "sk"],
    insertOnly: true,
  };
  const run = (faults: Fault[], Key: Key, options: SettlePutOptions = insertOnly) =>
    underFaults(world.port, faults, (faulty, time) =>
      settlePut(
        faulty,
        { TableName: world.table, Item: { ...Key, v: { S: "ours" } } },
        { ...options, ...time },
      ),
    );

  test("stores the item with its write id", async () => {
    const Key = world.newKey();
    const { result } = await run([], Key);
    expect(result).toMatchObject({ kind: "ok", value: { found: false } });
    expect(await world.read(Key)).toEqual({ ...Key, v: { S: "ours" }, wid: { S: idOf(result) } });
  });

  test("another's item is a conflict that comes with it, without another read", async () => {
    const Key = world.newKey();
    await world.put(Key, { wid: { S: "another" } });
    const { result, faulty } = await run([], Key);
    expect(result).toMatchObject({ kind: "conflict", current: { wid: { S: "another" } } });
    expect(result).toMatchObject({ error: { code: "DYNAMO_CONDITIONAL_CHECK_FAILED", ambiguous: false } });
    expect(faulty.requestCount()).toBe(1);
  });

  test.each(losses)("%s on up to three attempts: stored once, and known to be", async (kind) => {
    for (const times of [1, 2, 3]) {
      const Key = world.newKey();
      const { result, faulty } = await run([{ kind, nth: [1, times] }], Key);
      expect(result.kind).toBe("ok");
      expect((await world.read(Key))?.["wid"]?.S).toBe(idOf(result));
      // After an internal error the next attempt is rejected explicitly: that ends it.
      expect(faulty.requestCount("PutItem")).toBe(kind === "error-after-apply" ? 2 : times + 1);
    }
  });

  test("its own success behind the port's own retry is ok, not a conflict", async () => {
    const Key = world.newKey();
    const item = { TableName: world.table, Item: Key };
    const outcome = await settlePut(retryingPort(world.port, "PutItem"), item, insertOnly);
    expect(outcome).toMatchObject({ kind: "ok", value: { found: true } });
    expect((await world.read(Key))?.["wid"]?.S).toBe(idOf(outcome));
  });

  test.each(["lost-before-apply", "lost-after-apply", "error-before-apply"] as const)(
    "%s, while another's item stands there: a conflict for good",
    async (kind) => {
      const Key = world.newKey();
      await world.put(Key, { wid: { S: "another" } });
      const { result } = await run([{ kind, nth: 1 }], Key);
      expect(result).toMatchObject({ kind: "conflict", current: { wid: { S: "another" } } });
      expect(result).toMatchObject({ error: { code: "CLIENT_WRITE_CONFLICT", ambiguous: false } });
    },
  );

  test("no answer to the end: found if it is there, else unknown, within the deadline", async () => {
    const stored = await run([{ kind: "hang-after-apply", op: "PutItem" }], world.newKey());
    const lost = await run([{ kind: "hang", op: "PutItem" }], world.newKey());
    expect([stored.result.kind, lost.result.kind]).toEqual(["ok", "unknown"]);
    expect(lost.result).toMatchObject({ error: { ambiguous: true } });
    for (const { tookMs } of [stored, lost]) expect(tookMs).toBeLessThanOrEqual(10_000);
  });

  test("no answer at all, not even to the read: unknown, within the deadline", async () => {
    const { result, tookMs } = await run([{ kind: "hang-after-apply" }], world.newKey());
    expect(result.kind).toBe("unknown");
    expect(tookMs).toBeLessThanOrEqual(10_000);
  });

  test("a copy that lands late is found by looking again", async () => {
    const Key = world.newKey();
    const faults: Fault[] = [{ kind: "delay", ms: 9_050, op: "PutItem" }];
    const { result, faulty } = await run(faults, Key, insertOnly);
    await faulty.settled();
    expect(result.kind).toBe("ok");
    expect((await world.read(Key))?.["wid"]?.S).toBe(idOf(result));
  });

  test("throttled to the end, rejected and too large: certainly not stored", async () => {
    const Key = world.newKey();
    const throttled = await run([{ kind: "throttle" }], Key);
    expect(throttled.result).toMatchObject({ kind: "rejected", error: { kind: "throttled" } });
    const unreachable = await run([{ kind: "unreachable" }], Key);
    expect(unreachable.result).toMatchObject({ kind: "rejected", error: { ambiguous: false } });
    const invalid = await settlePut(
      world.port,
      { TableName: world.table, Item: { pk: { S: "no sort key" } } },
      insertOnly,
    );
    expect(invalid).toMatchObject({ kind: "rejected", error: { code: "DYNAMO_VALIDATION" } });
    const { port: recorded, requests } = recordedPort(world.port);
    const wide = { ...Key, v: { S: "x".repeat(409_600) } };
    const large = await settlePut(recorded, { TableName: world.table, Item: wide }, insertOnly);
    expect(large).toMatchObject({ kind: "rejected", error: { code: "CLIENT_LIMIT_EXCEEDED" } });
    expect(requests).toEqual([]);
    expect(await world.read(Key)).toBeUndefined();
  });

  test("lost, then throttled to the end: no longer a rejection", async () => {
    const applied = await run(
      [
        { kind: "lost-after-apply", nth: 1, op: "PutItem" },
        { kind: "throttle", nth: [2, 9_999], op: "PutItem" },
      ],
      world.newKey(),
    );
    expect(applied.result.kind).toBe("ok");
    const lost = await run(
      [
        { kind: "lost-before-apply", nth: 1, op: "PutItem" },
        { kind: "throttle", nth: [2, 9_999], op: "PutItem" },
      ],
      world.newKey(),
    );
    expect(lost.result).toMatchObject({ kind: "unknown", error: { ambiguous: true } });
  });

  describe("over an item", () => {
    const overwrite = (faulty: DynamoPort, Key: Key, options: SettlePutOptions) =>
      settlePut(
        faulty,
        {
          TableName: world.table,
          Item: { ...Key, version: { N: "2" } },
          ConditionExpression: "version = :one",
          ExpressionAttributeValues: { ":one": { N: "1" } },
        },
        options,
      );
    const plain: SettlePutOptions = { writeIdAttribute: "wid", keyNames: ["pk", "sk"] };

    test.each(losses)("%s: its own version 2 is ok", async (kind) => {
      const Key = world.newKey();
      await world.put(Key, { version: { N: "1" } });
      const { result } = await underFaults(world.port, [{ kind, nth: 1 }], (faulty, time) =>
        overwrite(faulty, Key, { ...plain, ...time }),
      );
      expect(result.kind).toBe("ok");
    });

    test("lost, and another write holds the key: unknown, unless the caller can decide", async () => {
      const kinds: string[] = [];
      // The writer of version 2 used the only version that this write could have had.
      const byVersion = (current: Item | undefined) =>
        current?.["version"]?.N === "2" ? ("theirs" as const) : ("unclear" as const);
      for (const [version, attribution] of [
        ["2", undefined],
        ["2", byVersion],
        ["3", byVersion],
      ] as const) {
        const Key = world.newKey();
        await world.put(Key, { version: { N: version }, wid: { S: "another" } });
        const { result } = await underFaults(
          world.port,
          [{ kind: "lost-before-apply", nth: 1 }],
          (faulty, time) =>
            overwrite(faulty, Key, { ...plain, ...time, ...(attribution && { attribution }) }),
        );
        kinds.push(result.kind);
      }
      expect(kinds).toEqual(["unknown", "conflict", "unknown"]);
    });

    test("if not ambiguous, a failed condition is a conflict whatever the caller would say", async () => {
      const Key = world.newKey();
      await world.put(Key, { version: { N: "7" } });
      const outcome = await overwrite(world.port, Key, { ...plain, attribution: () => "ours" });
      expect(outcome).toMatchObject({ kind: "conflict", current: { version: { N: "7" } } });
    });
  });

  test("insertOnly beside a condition, and an unknown option, are rejected", async () => {
    const input = {
      TableName: world.table,
      Item: world.newKey(),
      ConditionExpression: "attribute_exists(pk)",
    };
    await expect(settlePut(world.port, input, insertOnly)).rejects.toMatchObject({
      code: "CLIENT_OPTION_INVALID",
    });
    const unknown = { ...insertOnly, insertonly: true } as never;
    await expect(settlePut(world.port, input, unknown)).rejects.toMatchObject({
      code: "CLIENT_OPTION_INVALID",
    });
  });
});
