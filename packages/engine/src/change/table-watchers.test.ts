import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Item } from "@tablekeep/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Engine, openEngine } from "../engine.ts";
import type { StorageChoice } from "../storage/open-storage.ts";

const TableName = "watched";
const item = (id: string, n: number): Item => ({ id: { S: id }, n: { N: String(n) } });

async function open(storage: StorageChoice): Promise<Engine> {
  const engine = await openEngine({ storage });
  onTestFinished(() => engine.close());
  for (const name of [TableName, "other"])
    await engine.createTable({
      TableName: name,
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    });
  return engine;
}

function folder(): StorageChoice {
  const path = mkdtempSync(join(tmpdir(), "watched-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return { kind: "folder", path };
}

/** Records what a listener receives, as `id:before>after`, one array for each request. */
function hear(engine: Engine): string[][] {
  const heard: string[][] = [];
  const text = (image: Item | undefined) => image?.["n"]?.N ?? "";
  engine.watch(TableName, (changes) =>
    heard.push(
      changes.map(({ before, after }) => `${(after ?? before)?.["id"]?.S}:${text(before)}>${text(after)}`),
    ),
  );
  return heard;
}

describe.each([
  ["memory", (): StorageChoice => ({ kind: "memory" })],
  ["a folder", folder],
])("in %s", (_name, storage) => {
  test("every kind of write is reported, once, with all that its request changed", async () => {
    const engine = await open(storage());
    const heard = hear(engine);
    await engine.putItem({ TableName, Item: item("a", 1) });
    await engine.updateItem({
      TableName,
      Key: { id: { S: "a" } },
      UpdateExpression: "SET n = :n",
      ExpressionAttributeValues: { ":n": { N: "2" } },
    });
    await engine.batchWriteItem({
      RequestItems: {
        [TableName]: [{ PutRequest: { Item: item("b", 1) } }, { PutRequest: { Item: item("c", 1) } }],
        other: [{ PutRequest: { Item: item("x", 1) } }],
      },
    });
    await engine.transactWriteItems({
      TransactItems: [
        { Delete: { TableName, Key: { id: { S: "b" } } } },
        { Put: { TableName, Item: item("c", 2) } },
        { Put: { TableName: "other", Item: item("x", 2) } },
      ],
    });
    await engine.executeStatement({ Statement: "UPDATE watched SET n = 3 WHERE id = 'c'" });
    await engine.execute("DeleteItem", { TableName, Key: { id: { S: "a" } } });
    expect(heard).toEqual([["a:>1"], ["a:1>2"], ["b:>1", "c:>1"], ["b:1>", "c:1>2"], ["c:2>3"], ["a:2>"]]);
  });

  test("a write without effect is not reported", async () => {
    const engine = await open(storage());
    await engine.putItem({ TableName, Item: item("a", 1) });
    const heard = hear(engine);
    await engine.putItem({ TableName, Item: item("a", 1) });
    await engine.deleteItem({ TableName, Key: { id: { S: "none" } } });
    const rejected = { TableName, Item: item("a", 2), ConditionExpression: "attribute_not_exists(id)" };
    await expect(engine.putItem(rejected)).rejects.toThrow();
    const half = [{ Put: { TableName, Item: item("b", 1) } }, { Put: rejected }];
    await expect(engine.transactWriteItems({ TransactItems: half })).rejects.toThrow();
    expect(heard).toEqual([]);
  });

  test("a listener is notified before the caller, and also if the caller aborted", async () => {
    const engine = await open(storage());
    const heard = hear(engine);
    const gone = new AbortController();
    const given = engine.putItem({ TableName, Item: item("a", 1) }, { signal: gone.signal });
    gone.abort();
    await expect(given).rejects.toThrow();
    await engine.putItem({ TableName, Item: item("b", 1) });
    expect(heard).toEqual([["a:>1"], ["b:>1"]]);
  });

  test("concurrent writes are reported in the order in which they apply", async () => {
    const engine = await open(storage());
    const heard = hear(engine);
    await engine.putItem({ TableName, Item: item("a", 0) });
    const add = {
      TableName,
      Key: { id: { S: "a" } },
      UpdateExpression: "ADD n :one",
      ExpressionAttributeValues: { ":one": { N: "1" } },
    };
    await Promise.all(Array.from({ length: 50 }, () => engine.updateItem(add)));
    expect(heard.slice(1)).toEqual(Array.from({ length: 50 }, (_, n) => [`a:${n}>${n + 1}`]));
  });

  test("a listener can read other items in their current state, and is not called after it stopped", async () => {
    const engine = await open(storage());
    await engine.putItem({ TableName, Item: item("b", 7) });
    const seen: (Item | undefined)[] = [];
    const stop = engine.watch(TableName, (_changes, read) => {
      seen.push(read({ id: { S: "b" } }), read({ id: { S: "none" } }));
    });
    await engine.putItem({ TableName, Item: item("a", 1) });
    stop();
    await engine.putItem({ TableName, Item: item("a", 2) });
    expect(seen).toEqual([item("b", 7), undefined]);
  });
});
