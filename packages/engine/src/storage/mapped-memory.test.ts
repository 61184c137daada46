import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readOwnerRecord, removeOwnerRecord } from "./folder-owner.ts";
import { FolderStorage } from "./folder-storage.ts";

const maxMappedBytes = 4 * 1024 * 1024;
const count = 6000;
const keyOf = (at: number) => `k${String(at).padStart(8, "0")}`;
const textOf = (at: number) => String(at).repeat(400);

async function openStorage() {
  const path = mkdtempSync(join(tmpdir(), "engine-mapped-"));
  const storage = await FolderStorage.open(path, { durable: false, maxMappedBytes });
  onTestFinished(async () => {
    await storage.close();
    rmSync(path, { recursive: true });
  });
  const batch = 500;
  for (let from = 0; from < count; from += batch)
    storage.commit(new Map(Array.from({ length: batch }, (_, at) => [keyOf(from + at), textOf(from + at)])));
  return { path, storage };
}

/** Bytes of the database that the system counts as memory of this process. */
function mappedOf(path: string): number {
  const maps = readFileSync("/proc/self/smaps", "utf8").split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/);
  const own = maps.filter((map) => map.includes(join(path, "data.mdb")));
  return own.reduce((sum, map) => sum + 1024 * Number(/^Rss:\s+(\d+)/m.exec(map)?.[1] ?? 0), 0);
}

test.runIf(process.platform === "linux")(
  "reads everything with a bounded part of the file mapped",
  async () => {
    const { path, storage } = await openStorage();
    let highest = 0;
    for (let at = 0; at < count; at++) {
      expect(storage.get(keyOf(at))).toBe(textOf(at));
      if (at % 200 === 0) highest = Math.max(highest, mappedOf(path));
    }
    // Up to 1,024 entries, each of one page here, are read between two measurements.
    expect(highest).toBeLessThan(maxMappedBytes + 1024 * 8192 + 1024 * 1024);
    const seen: string[] = [];
    storage.scan({ start: "k", end: "l" }, (key, value) => {
      // A read during a scan must not end the scan.
      expect(storage.get(key)).toBe(value);
      seen.push(key);
      return true;
    });
    expect(seen).toEqual(Array.from({ length: count }, (_, at) => keyOf(at)));
  },
);

test.runIf(process.platform === "linux")(
  "a commit that reads what it replaces is stored, and can be undone",
  async () => {
    const { storage } = await openStorage();
    const before = storage.checkpoint();
    const keys = Array.from({ length: count }, (_, at) => keyOf(at));
    for (const round of ["one", "two", "three"]) {
      storage.commit(new Map(keys.map((key) => [key, `${round} ${key}`])));
      for (const key of keys) expect(storage.get(key)).toBe(`${round} ${key}`);
    }
    storage.restore(before);
    for (let at = 0; at < count; at++) expect(storage.get(keyOf(at))).toBe(textOf(at));
  },
);

test.runIf(process.platform === "linux")("writes nothing once another process owns the folder", async () => {
  const { path, storage } = await openStorage();
  const record = readOwnerRecord(path);
  expect(record?.pid).toBe(process.pid);
  removeOwnerRecord(path);
  const readAll = () => {
    for (let round = 0; round < 5; round++) for (let at = 0; at < count; at++) storage.get(keyOf(at));
  };
  expect(readAll).toThrow(/another process has acquired the folder/);
  expect(() => storage.commit(new Map([["a", "b"]]))).toThrow(/another process has acquired the folder/);
});
