import type { DynamoPort, Key } from "@tablekeep/core";
import { describe, expect, inject, test } from "vitest";
import { underFaults } from "../../test/under-faults.ts";
import { losses, retryingPort, writeWorld } from "../../test/write-world.ts";
import { type SettleDeleteOptions, settleDelete } from "./settle-delete.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("settleDelete on DynamoDB Local", () => {
  const world = writeWorld(endpoint);
  const remove = (faulty: DynamoPort, Key: Key, more: SettleDeleteOptions = {}) =>
    settleDelete(
      faulty,
      {
        TableName: world.table,
        Key,
        ConditionExpression: "version = :one",
        ExpressionAttributeValues: { ":one": { N: "1" } },
        ReturnValues: "ALL_OLD",
      },
      more,
    );

  test("deletes and returns the old item", async () => {
    const Key = world.newKey();
    await world.put(Key, { version: { N: "1" } });
    const outcome = await remove(world.port, Key);
    expect(outcome).toMatchObject({
      kind: "ok",
      value: { found: false, attributes: { version: { N: "1" } } },
    });
    expect(await world.read(Key)).toBeUndefined();
  });

  test("another version, and an absent item, are conflicts", async () => {
    const Key = world.newKey();
    expect(await remove(world.port, Key)).toMatchObject({ kind: "conflict", current: undefined });
    await world.put(Key, { version: { N: "2" } });
    expect(await remove(world.port, Key)).toMatchObject({
      kind: "conflict",
      current: { version: { N: "2" } },
    });
  });

  test.each(losses)(
    "%s: gone after a lost answer is unknown, or ok where gone is enough",
    async (kind, applied) => {
      const kinds: string[] = [];
      for (const treatMissingAsDeleted of [false, true]) {
        const Key = world.newKey();
        await world.put(Key, { version: { N: "1" } });
        const { result } = await underFaults(world.port, [{ kind, nth: 1 }], (faulty, time) =>
          remove(faulty, Key, { ...time, treatMissingAsDeleted }),
        );
        kinds.push(result.kind);
        expect(await world.read(Key)).toBeUndefined();
      }
      // Not applied the first time, the second attempt deletes it and says so.
      expect(kinds).toEqual(applied ? ["unknown", "ok"] : ["ok", "ok"]);
    },
  );

  test("its own success behind the port's own retry is unknown, or ok where gone is enough", async () => {
    for (const [treatMissingAsDeleted, kind] of [
      [false, "unknown"],
      [true, "ok"],
    ] as const) {
      const Key = world.newKey();
      await world.put(Key, { version: { N: "1" } });
      expect(
        (await remove(retryingPort(world.port, "DeleteItem"), Key, { treatMissingAsDeleted })).kind,
      ).toBe(kind);
    }
  });

  test("an existing item after a lost answer may be newer than the delete: unknown", async () => {
    const Key = world.newKey();
    await world.put(Key, { version: { N: "5" } });
    const { result } = await underFaults(
      world.port,
      [{ kind: "lost-before-apply", nth: 1 }],
      (faulty, time) => remove(faulty, Key, time),
    );
    expect(result.kind).toBe("unknown");
  });

  test("no answer to the end: gone is ok where that is enough, all else unknown", async () => {
    for (const [kind, treatMissingAsDeleted, expected] of [
      ["hang-after-apply", true, "ok"],
      ["hang-after-apply", false, "unknown"],
      ["hang", true, "unknown"],
    ] as const) {
      const Key = world.newKey();
      await world.put(Key, { version: { N: "1" } });
      const { result, tookMs } = await underFaults(world.port, [{ kind, op: "DeleteItem" }], (faulty, time) =>
        remove(faulty, Key, { ...time, treatMissingAsDeleted }),
      );
      expect(result.kind).toBe(expected);
      expect(tookMs).toBeLessThanOrEqual(10_000);
    }
  });
});
