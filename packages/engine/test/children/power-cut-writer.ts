/** Writes in every way, prints each acknowledged write, and ends. */
import { writeSync } from "node:fs";
import { openEngineOn } from "../../src/engine.ts";
import { FolderStorage } from "../../src/storage/folder-storage.ts";

const [path = "", durable = "true", rounds = "10", slowFlushMs, maxLogBytes] = process.argv.slice(2);
const TableName = "items";
const storage = await FolderStorage.open(path, {
  durable: durable === "true",
  ...(slowFlushMs !== undefined && { slowFlushMs: Number(slowFlushMs) }),
  ...(maxLogBytes !== undefined && { maxLogBytes: Number(maxLogBytes) }),
});
const engine = openEngineOn(storage);
await engine.createTable({
  TableName,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
});

const item = (id: string) => ({ id: { S: id }, text: { S: id.repeat(400) } });
const acknowledge = (...ids: string[]) => writeSync(1, `${JSON.stringify({ ids })}\n`);

async function write(id: string): Promise<void> {
  await engine.putItem({ TableName, Item: item(id) });
  acknowledge(id);
  const pair = [`${id}-1of2`, `${id}-2of2`];
  await engine.transactWriteItems({
    TransactItems: pair.map((each) => ({ Put: { TableName, Item: item(each) } })),
  });
  acknowledge(...pair);
  const batch = [`${id}-a`, `${id}-b`];
  const requests = batch.map((each) => ({ PutRequest: { Item: item(each) } }));
  await engine.batchWriteItem({ RequestItems: { [TableName]: requests } });
  acknowledge(...batch);
  // A failed condition acknowledges the other write that made it fail.
  const condition = { ConditionExpression: "attribute_not_exists(id)" };
  const shared = `shared-${id.split("-")[1]}`;
  await engine.putItem({ TableName, Item: item(shared), ...condition }).catch(() => undefined);
  acknowledge(shared);
}

await Promise.all(
  Array.from({ length: 4 }, async (_, writer) => {
    for (let at = 0; at < Number(rounds); at++) await write(`${writer}-${at}`);
  }),
);
await engine.close();
