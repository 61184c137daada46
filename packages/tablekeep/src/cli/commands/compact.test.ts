import { join } from "node:path";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const TableName = "items";

async function deletedItems(path: string): Promise<void> {
  await using engine = await openEngine({ storage: { kind: "folder", path, durable: false } });
  await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
  const ids = Array.from({ length: 200 }, (_, at) => ({ S: `${at}` }));
  await Promise.all(
    ids.map((id) => engine.putItem({ TableName, Item: { id, data: { S: "x".repeat(20_000) } } })),
  );
  await Promise.all(ids.slice(1).map((id) => engine.deleteItem({ TableName, Key: { id } })));
}

test("shrinks the file of a folder and keeps its data", async () => {
  const path = tempFolder();
  await deletedItems(path);
  const { code, stdout } = await runMain(["compact", "--data", path, "--json"]);
  const { folder, bytesBefore, bytesAfter } = JSON.parse(stdout);
  expect([code, folder]).toEqual([0, path]);
  expect(bytesBefore).toBeGreaterThan(3_000_000);
  expect(bytesAfter).toBeLessThan(300_000);
  await using engine = await openEngine({ storage: { kind: "folder", path } });
  expect((await engine.scan({ TableName })).Items?.map(({ id }) => id)).toEqual([{ S: "0" }]);
  const locked = await runMain(["compact", "--data", path]);
  expect([locked.code, locked.stderr]).toEqual([
    4,
    expect.stringMatching(
      new RegExp(`process ${process.pid} on .*: stop that process first \\[ENGINE_FOLDER_LOCKED\\]`),
    ),
  ]);
});

test("rejects a folder without data, and settings without a folder", async () => {
  const path = join(tempFolder(), "none");
  const missing = await runMain(["compact", "--data", path]);
  expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining("CLI_DATA_FOLDER_MISSING")]);
  const elsewhere = await runMain(["compact"], { TABLEKEEP_REGION: "eu-west-1" });
  expect(elsewhere.stderr).toContain("CLI_OPTION_CONFLICT");
});
