import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CreateTableInput } from "@tablekeep/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { databaseDescriptor, redirectDescriptor } from "../../test/descriptors.ts";
import { type Engine, openEngine, openEngineOn } from "../engine.ts";
import { FolderStorage } from "./folder-storage.ts";

const TableName = "items";
const table: CreateTableInput = {
  TableName,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
};
const key = (id: string) => ({ id: { S: id } });
const put = (engine: Engine, id: string) => engine.putItem({ TableName, Item: key(id) });
const has = async (engine: Engine, id: string) =>
  (await engine.getItem({ TableName, Key: key(id) })).Item !== undefined;

async function opened(slowFlushMs: number): Promise<{ engine: Engine; path: string }> {
  const path = await mkdtemp(join(tmpdir(), "engine-io-"));
  // Without a log: every commit is a transaction of the database.
  const engine = openEngineOn(await FolderStorage.open(path, { slowFlushMs, maxLogBytes: 0 }));
  onTestFinished(async () => {
    await engine.close();
    await rm(path, { recursive: true });
  });
  await engine.createTable(table);
  await put(engine, "before");
  return { engine, path };
}

const failed = { code: "ENGINE_DISK_FAILED", kind: "unavailable", ambiguous: true, retryable: true };

/** With the first limit all commits wait on the event loop, with the second none does. */
const limits = [
  ["on the event loop", Number.POSITIVE_INFINITY],
  ["beside it", 0],
] as const;

describe.skipIf(process.platform !== "linux").each(limits)(
  "a folder whose disk fails, with commits %s (on Linux only)",
  (_name, slowFlushMs) => {
    test("while writing a page still reads, and writes again once the disk works", async () => {
      const { engine, path } = await opened(slowFlushMs);
      const descriptor = databaseDescriptor(path, "pages");
      redirectDescriptor(descriptor, "/dev/null", "r");
      await expect(put(engine, "lost")).rejects.toMatchObject({ ...failed, details: { path } });
      await expect(Promise.all([put(engine, "one"), put(engine, "two")])).rejects.toMatchObject(failed);
      expect([await has(engine, "before"), await has(engine, "lost")]).toEqual([true, false]);
      redirectDescriptor(descriptor, join(path, "data.mdb"), "r+");
      await put(engine, "after");
      expect([await has(engine, "before"), await has(engine, "after")]).toEqual([true, true]);
    });

    // Repeated, because a read may or may not be in progress when the disk fails.
    test("at the end of a commit is reopened, and reads and writes continue", { repeats: 9 }, async () => {
      const { engine, path } = await opened(slowFlushMs);
      redirectDescriptor(databaseDescriptor(path, "meta"), "/dev/null", "r");
      await expect(put(engine, "unknown")).rejects.toMatchObject({ ...failed, details: { path } });
      expect(await has(engine, "before")).toBe(true);
      await put(engine, "after");
      expect([await has(engine, "before"), await has(engine, "after")]).toEqual([true, true]);
      await expect(openEngine({ storage: { kind: "folder", path } })).rejects.toMatchObject({
        code: "ENGINE_FOLDER_LOCKED",
      });
      await engine.close();
      const again = await openEngine({ storage: { kind: "folder", path } });
      expect([await has(again, "before"), await has(again, "after")]).toEqual([true, true]);
      await again.close();
    });

    test("and that cannot be reopened at once rejects calls until it can", async () => {
      const { engine, path } = await opened(slowFlushMs);
      const file = join(path, "data.mdb");
      redirectDescriptor(databaseDescriptor(path, "meta"), "/dev/null", "r");
      await rename(file, `${file}.away`);
      await expect(put(engine, "unknown")).rejects.toMatchObject(failed);
      // It neither looks empty, nor is an empty one created.
      await expect(has(engine, "before")).rejects.toMatchObject({ ...failed, ambiguous: false });
      const select = engine.executeStatement({ Statement: `SELECT * FROM ${TableName}` });
      await expect(select).rejects.toMatchObject({ ...failed, ambiguous: false });
      await expect(put(engine, "rejected")).rejects.toMatchObject(failed);
      expect((await engine.listTables({})).TableNames).toEqual([TableName]);
      await rename(`${file}.away`, file);
      expect(await has(engine, "before")).toBe(true);
      await put(engine, "after");
      await engine.close();
      const again = await openEngine({ storage: { kind: "folder", path } });
      expect([await has(again, "before"), await has(again, "after")]).toEqual([true, true]);
      await again.close();
    });
  },
);

test("a relative path refers to the same folder after the working directory changes", async () => {
  const home = process.cwd();
  const path = await mkdtemp(join(tmpdir(), "engine-relative-"));
  onTestFinished(async () => {
    process.chdir(home);
    await rm(path, { recursive: true });
  });
  process.chdir(path);
  const engine = await openEngine({ storage: { kind: "folder", path: "data" } });
  process.chdir(home);
  engine.announce("http://127.0.0.1:1");
  await engine.createTable(table);
  await engine.close();
  expect(existsSync(join(home, "data"))).toBe(false);
  const again = await openEngine({ storage: { kind: "folder", path: join(path, "data") } });
  expect((await again.listTables({})).TableNames).toEqual([TableName]);
  await again.close();
});
