import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeClock } from "@tablekeep/testkit";
import { expect, onTestFinished, test } from "vitest";
import { countEntries, tableInput } from "../../test/tables.ts";
import { regions } from "../catalog/storage-keys.ts";
import { type Engine, openEngine, openEngineOn } from "../engine.ts";
import { FolderStorage } from "../storage/folder-storage.ts";

const TableName = "things";
const Key = { pk: { S: "a" } };

const addOne = (engine: Engine, ClientRequestToken: string) =>
  engine.transactWriteItems({
    ClientRequestToken,
    TransactItems: [
      {
        Update: {
          TableName,
          Key,
          UpdateExpression: "ADD n :one",
          ExpressionAttributeValues: { ":one": { N: "1" } },
        },
      },
    ],
  });

const sum = async (engine: Engine) => (await engine.getItem({ TableName, Key })).Item?.["n"]?.N;

test("tokens that differ in one character differ, also in a folder", async () => {
  const path = await mkdtemp(join(tmpdir(), "engine-token-"));
  const engine = await openEngine({ storage: { kind: "folder", path } });
  onTestFinished(async () => {
    await engine.close();
    await rm(path, { recursive: true });
  });
  await engine.createTable(tableInput());
  // Their lower bytes equal that of the first token.
  for (const token of ["A", "\u0141", "\u0141"]) await addOne(engine, token);
  expect(await sum(engine)).toBe("2");
});

test("a token is valid for ten full minutes", async () => {
  const clock = fakeClock({ startAt: 1_700_000_000_999 });
  const engine = await openEngine({ storage: { kind: "memory" }, clock });
  await engine.createTable(tableInput());
  await addOne(engine, "once");
  await clock.advance(600_000);
  await addOne(engine, "once");
  expect(await sum(engine)).toBe("1");
  await clock.advance(2_000);
  await addOne(engine, "once");
  expect(await sum(engine)).toBe("2");
});

test("expired tokens are deleted as fast as new ones arrive, even if many share a commit", async () => {
  const path = await mkdtemp(join(tmpdir(), "engine-token-"));
  const clock = fakeClock();
  const storage = await FolderStorage.open(path, { durable: false });
  const engine = openEngineOn(storage, { clock });
  onTestFinished(async () => {
    await engine.close();
    await rm(path, { recursive: true });
  });
  await engine.createTable(tableInput());
  const atOnce = 40;
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: atOnce }, (_, at) => addOne(engine, `${round} ${at}`)));
    clock.jump(700_000);
  }
  // Each token has two entries; those of the last two rounds may still exist.
  expect(countEntries(storage, regions.tokens)).toBeLessThanOrEqual(2 * 2 * atOnce);
});

test("the same bytes are the same request, as any kind of array", async () => {
  const engine = await openEngine({ storage: { kind: "memory" } });
  await engine.createTable(tableInput());
  const bytes = Uint8Array.of(1, 2, 3);
  const put = (B: Uint8Array) => ({
    ClientRequestToken: "once",
    TransactItems: [{ Put: { TableName, Item: { ...Key, bytes: { B } } } }],
  });
  await engine.transactWriteItems(put(bytes));
  await engine.transactWriteItems(put(Buffer.from(bytes)));
  // As on the wire.
  await engine.execute("TransactWriteItems", put("AQID" as never));
  await expect(engine.transactWriteItems(put(Uint8Array.of(1, 2)))).rejects.toMatchObject({
    details: { exception: "IdempotentParameterMismatchException" },
  });
});
