/** Writes as fast as possible in every way, and prints each acknowledged write, until it is killed. */
import { writeSync } from "node:fs";
import { openEngineOn } from "../../src/engine.ts";
import { FolderStorage } from "../../src/storage/folder-storage.ts";

const [path = "", run = "", slowFlushMs, maxLogBytes] = process.argv.slice(2);
const TableName = "items";
const engine = openEngineOn(
  await FolderStorage.open(path, {
    ...(slowFlushMs !== undefined && { slowFlushMs: Number(slowFlushMs) }),
    ...(maxLogBytes !== undefined && { maxLogBytes: Number(maxLogBytes) }),
  }),
);

const item = (id: string) => ({
  run: { S: run },
  id: { S: id },
  tag: { S: `${run} ${id.length % 3}` },
  text: { S: id.repeat(20) },
});
const acknowledge = (...ids: string[]) => writeSync(1, `${JSON.stringify({ ids })}\n`);

const ways: readonly ((id: string) => Promise<void>)[] = [
  async (id) => {
    await engine.putItem({ TableName, Item: item(id) });
    acknowledge(id);
  },
  async (id) => {
    await engine.putItem({ TableName, Item: item(id), ConditionExpression: "attribute_not_exists(id)" });
    acknowledge(id);
  },
  async (id) => {
    const TransactItems = [`${id}-1of2`, `${id}-2of2`].map((each) => ({
      Put: { TableName, Item: item(each) },
    }));
    await engine.transactWriteItems({ TransactItems });
    acknowledge(`${id}-1of2`, `${id}-2of2`);
  },
  async (id) => {
    const ids = ["a", "bb", "ccc"].map((part) => `${id}-${part}`);
    const requests = ids.map((each) => ({ PutRequest: { Item: item(each) } }));
    await engine.batchWriteItem({ RequestItems: { [TableName]: requests } });
    acknowledge(...ids);
  },
  async (id) => {
    const Key = { run: { S: run }, id: { S: id } };
    await engine.putItem({ TableName, Item: item(id) });
    await engine.updateItem({
      TableName,
      Key,
      UpdateExpression: "SET tag = :tag",
      ExpressionAttributeValues: { ":tag": { S: `${run} moved` } },
    });
    acknowledge(id);
  },
];

await Promise.all(
  Array.from({ length: 16 }, async (_, writer) => {
    for (let at = 0; ; at++) await ways[(writer + at) % ways.length]?.(`${writer}-${at}`);
  }),
);
