import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTablekeepError } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Engine, openEngine } from "./engine.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { StorageChoice } from "./storage/open-storage.ts";

const TableName = "items";
let base = "";
let made = 0;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "engine-"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

const storages: Record<string, () => StorageChoice> = {
  memory: () => ({ kind: "memory" }),
  folder: () => ({ kind: "folder", path: join(base, String(++made)) }),
};

async function opened(storage: StorageChoice, options: Omit<EngineOptions, "storage"> = {}): Promise<Engine> {
  const engine = await openEngine({ storage, ...options });
  await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
  return engine;
}

const put = (engine: Engine, id: string, text = "") =>
  engine.putItem({ TableName, Item: { id: { S: id }, text: { S: text } } });

async function contents(engine: Engine): Promise<Record<string, string>> {
  const { Items = [] } = await engine.scan({ TableName, ConsistentRead: true });
  return Object.fromEntries(
    Items.map(({ id, text }) => [(id as { S: string }).S, (text as { S: string }).S]),
  );
}

describe.each(Object.entries(storages))("an engine in %s", (_kind, storage) => {
  test("can be closed twice, and waits for calls in flight", async () => {
    const engine = await opened(storage());
    const writes = Array.from({ length: 50 }, (_, at) => put(engine, String(at)));
    const [one, two] = [engine.close(), engine.close()];
    let closed = false;
    void one.then(() => {
      closed = true;
    });
    await Promise.all(writes);
    expect(closed).toBe(false);
    await Promise.all([one, two]);
    await engine.close();
  });

  test("is not affected by later changes of a request object", async () => {
    const engine = await opened(storage());
    await Promise.all(Array.from({ length: 20 }, (_, at) => put(engine, String(at))));
    const input = { TableName, TotalSegments: 4, Segment: 0 };
    const pages = [0, 1, 2, 3].map((Segment) => engine.scan(Object.assign(input, { Segment })));
    const found = (await Promise.all(pages)).flatMap(({ Items = [] }) => Items.map(({ id }) => id?.S));
    expect(new Set(found).size).toBe(20);
    const values = { ":id": { S: "" } };
    const queries = ["1", "2"].map((id) => {
      values[":id"].S = id;
      return engine.query({
        TableName,
        KeyConditionExpression: "id = :id",
        ExpressionAttributeValues: values,
      });
    });
    const answers = await Promise.all(queries);
    expect(answers.map(({ Items }) => Items?.[0]?.["id"]?.S)).toEqual(["1", "2"]);
    await engine.close();
  });

  test("rejects every call after close with a typed error", async () => {
    const engine = await opened(storage());
    const checkpoint = await engine.checkpoint();
    await engine.close();
    const calls = [
      () => engine.getItem({ TableName, Key: { id: { S: "a" } } }),
      () => put(engine, "a"),
      () => engine.listTables({}),
      () => engine.execute("ListTables", {}),
      () => engine.checkpoint(),
      () => engine.restore(checkpoint),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ code: "ENGINE_CLOSED", kind: "closed" });
    }
  });

  test("closes at the end of its scope", async () => {
    let outer: Engine;
    {
      await using engine = await opened(storage());
      outer = engine;
      await put(engine, "a");
    }
    await expect(put(outer, "b")).rejects.toSatisfy((error) => isTablekeepError(error, "ENGINE_CLOSED"));
  });

  test("does not start a call that was aborted before", async () => {
    const engine = await opened(storage());
    const early = engine.putItem(
      { TableName, Item: { id: { S: "early" } } },
      { signal: AbortSignal.abort(new Error("enough")) },
    );
    await expect(early).rejects.toMatchObject({ code: "ENGINE_ABORTED", kind: "aborted", ambiguous: false });
    expect(await contents(engine)).toEqual({});
    await engine.close();
  });

  test("ends a call at its deadline or when its caller aborts, by its own clock", async () => {
    const clock = fakeClock();
    const engine = await opened(storage(), { clock, behavior: { transactionMs: 100 } });
    const write = (id: string, options: object) =>
      engine.transactWriteItems(
        { TransactItems: [{ Put: { TableName, Item: { id: { S: id } } } }] },
        options,
      );
    const late = write("late", { deadlineMs: 50 });
    const lateError = expect(late).rejects.toMatchObject({
      code: "ENGINE_DEADLINE_EXCEEDED",
      ambiguous: true,
      details: { deadlineMs: 50 },
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await clock.advance(50);
    await lateError;
    const controller = new AbortController();
    const aborted = expect(write("aborted", { signal: controller.signal })).rejects.toMatchObject({
      code: "ENGINE_ABORTED",
      ambiguous: true,
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    await aborted;
    // Both are written, even if the disk takes longer than their callers waited.
    await expect
      .poll(async () => {
        await clock.advance(100);
        return (await engine.scan({ TableName })).Count;
      })
      .toBe(2);
    await engine.close();
  });

  test("restores checkpoints repeatedly and in any order", async () => {
    const engine = await opened(storage());
    const empty = await engine.checkpoint();
    await put(engine, "a", "1");
    const one = await engine.checkpoint();
    await put(engine, "a", "2");
    await put(engine, "b", "2");
    const two = await engine.checkpoint();
    await engine.deleteItem({ TableName, Key: { id: { S: "a" } } });
    for (let round = 0; round < 3; round++) {
      await engine.restore(one);
      expect(await contents(engine)).toEqual({ a: "1" });
      await put(engine, "c", String(round));
      await engine.restore(two);
      expect(await contents(engine)).toEqual({ a: "2", b: "2" });
      await engine.restore(empty);
      expect(await contents(engine)).toEqual({});
      await put(engine, "d");
    }
    await engine.close();
  });

  test("treats base64 with different unused bits as the same bytes", async () => {
    const engine = await opened(storage());
    const Item = { id: { S: "a" }, bytes: { B: "AB==" as unknown as Uint8Array } };
    await engine.putItem({ TableName, Item });
    await engine.deleteItem({
      TableName,
      Key: { id: { S: "a" } },
      ConditionExpression: "bytes = :same",
      ExpressionAttributeValues: { ":same": { B: Uint8Array.of(0) } },
    });
    expect(await contents(engine)).toEqual({});
    await engine.close();
  });

  test.each([0, 1, 4, 58, 59, 60, 61, 5_000])("returns %d bytes in their own memory", async (length) => {
    const engine = await opened(storage());
    const bytes = Uint8Array.from({ length }, (_, at) => at * 7);
    const set = [Uint8Array.of(1, 2, 3), Uint8Array.from([...bytes, 9])];
    await engine.putItem({ TableName, Item: { id: { S: "a" }, one: { B: bytes }, set: { BS: set } } });
    const { Item } = await engine.getItem({ TableName, Key: { id: { S: "a" } } });
    const found = [Item?.["one"]?.B, ...(Item?.["set"]?.BS ?? [])] as Uint8Array[];
    expect(found.map((each) => [...each])).toEqual([bytes, ...set].map((each) => [...each]));
    for (const each of found) {
      expect(each.constructor).toBe(Uint8Array);
      expect(each.buffer.byteLength).toBe(each.length);
    }
    await engine.close();
  });

  test("restores before or after a concurrent write, never in the middle of it", async () => {
    const engine = await opened(storage());
    const add = () =>
      engine.updateItem({
        TableName,
        Key: { id: { S: "counter" } },
        UpdateExpression: "ADD n :one",
        ExpressionAttributeValues: { ":one": { N: "1" } },
      });
    await add();
    const checkpoint = await engine.checkpoint();
    for (let more = 0; more < 3; more++) await add();
    await Promise.all([engine.restore(checkpoint), add()]);
    const { Item } = await engine.getItem({ TableName, Key: { id: { S: "counter" } } });
    expect(["1", "2"]).toContain(Item?.["n"]?.N);
    await engine.close();
  });

  test("restores the tables of a checkpoint, too", async () => {
    const engine = await opened(storage());
    await put(engine, "a");
    const checkpoint = await engine.checkpoint();
    await engine.deleteTable({ TableName });
    await expect(engine.scan({ TableName })).rejects.toMatchObject({
      details: { exception: "ResourceNotFoundException" },
    });
    await engine.restore(checkpoint);
    expect(await contents(engine)).toEqual({ a: "" });
    expect((await engine.listTables({})).TableNames).toEqual([TableName]);
    await engine.close();
  });

  test("rejects the checkpoint of another engine", async () => {
    const [engine, other] = [await opened(storage()), await opened(storage())];
    await expect(engine.restore(await other.checkpoint())).rejects.toMatchObject({
      code: "ENGINE_OPTION_INVALID",
    });
    await Promise.all([engine.close(), other.close()]);
  });

  test("keeps a restored state after reopening, in a folder", async () => {
    const choice = storage();
    const engine = await opened(choice);
    await put(engine, "a");
    const checkpoint = await engine.checkpoint();
    await put(engine, "b");
    await engine.restore(checkpoint);
    await engine.close();
    if (choice.kind === "memory") return;
    const again = await openEngine({ storage: choice });
    expect(await contents(again)).toEqual({ a: "" });
    await again.close();
  });
});
