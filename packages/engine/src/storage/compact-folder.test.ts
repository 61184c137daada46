import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../engine.ts";
import { isEngineError } from "../engine-error.ts";
import { compactFolder } from "./compact-folder.ts";
import { FolderStorage } from "./folder-storage.ts";

const keyOf = (at: number) => `k${String(at).padStart(6, "0")}`;
const value = "x".repeat(3000);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "engine-compact-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** A folder in which only each hundredth of 4,000 entries is left. */
async function mostlyDeleted(path: string): Promise<string[]> {
  const storage = await FolderStorage.open(path, { durable: false });
  const keys = Array.from({ length: 4000 }, (_, at) => keyOf(at));
  storage.commit(new Map(keys.map((key) => [key, value + key])));
  const kept = keys.filter((_, at) => at % 100 === 0);
  storage.commit(new Map(keys.filter((key) => !kept.includes(key)).map((key) => [key, undefined])));
  await storage.close();
  return kept;
}

async function contentOf(path: string): Promise<Map<string, string>> {
  const storage = await FolderStorage.open(path);
  const found = new Map<string, string>();
  storage.scan({ start: "k", end: "l" }, (key, each) => found.set(key, each) !== undefined);
  await storage.close();
  return found;
}

test("returns the space of deleted entries and keeps the others", async () => {
  const path = folder();
  const kept = await mostlyDeleted(path);
  const { bytesBefore, bytesAfter } = await compactFolder(path);
  expect(bytesBefore).toBeGreaterThan(4000 * 3000);
  expect(bytesAfter).toBeLessThan(1_000_000);
  expect(statSync(join(path, "data.mdb")).blocks * 512).toBe(bytesAfter);
  expect(statSync(join(path, "data.mdb")).mode & 0o777).toBe(0o600);
  expect(readdirSync(path).sort()).toEqual(["data.mdb", "format.json", "lock.mdb"]);
  expect(await contentOf(path)).toEqual(new Map(kept.map((key) => [key, value + key])));
  // It can be written and compacted again.
  const storage = await FolderStorage.open(path);
  storage.commit(new Map([["k", "new"]]));
  await storage.close();
  await compactFolder(path);
  expect((await contentOf(path)).get("k")).toBe("new");
});

test("compacts a folder without data", async () => {
  const path = folder();
  await (await FolderStorage.open(path)).close();
  await compactFolder(path);
  expect(await contentOf(path)).toEqual(new Map());
});

test("rejects a folder that is open, one that no engine has written, and an aborted call", async () => {
  const path = folder();
  await expect(compactFolder(path)).rejects.toMatchObject({ code: "ENGINE_FOLDER_UNUSABLE" });
  const engine = await openEngine({ storage: { kind: "folder", path } });
  await expect(compactFolder(path)).rejects.toMatchObject({ code: "ENGINE_FOLDER_LOCKED" });
  await engine.close();
  const signal = AbortSignal.abort();
  await expect(compactFolder(path, { signal })).rejects.toMatchObject({ code: "ENGINE_ABORTED" });
});

test("keeps the folder as it was if it is aborted before the replacement", async () => {
  const path = folder();
  const kept = await mostlyDeleted(path);
  const { ino } = statSync(join(path, "data.mdb"));
  const controller = new AbortController();
  const compacting = compactFolder(path, { signal: controller.signal });
  controller.abort();
  await expect(compacting).rejects.toSatisfy((error) => isEngineError(error, "ENGINE_ABORTED"));
  expect(statSync(join(path, "data.mdb")).ino).toBe(ino);
  expect((await contentOf(path)).size).toBe(kept.length);
  expect(readdirSync(path).sort()).toEqual(["data.mdb", "format.json", "lock.mdb"]);
});
