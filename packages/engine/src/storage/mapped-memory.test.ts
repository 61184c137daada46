import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { readOwnerRecord, removeOwnerRecord } from "./folder-owner.ts";
import { FolderStorage, type FolderStorageOptions } from "./folder-storage.ts";
import { MappedMemory } from "./mapped-memory.ts";

const maxMappedBytes = 4 * 1024 * 1024;
const count = 6000;
const keyOf = (at: number) => `k${String(at).padStart(8, "0")}`;
const textOf = (at: number) => String(at).repeat(400);

async function openStorage(options: FolderStorageOptions = { durable: false }) {
  const path = mkdtempSync(join(tmpdir(), "engine-mapped-"));
  const storage = await FolderStorage.open(path, { ...options, maxMappedBytes });
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
  "unmaps the file between two commits in the background",
  async () => {
    const { path, storage } = await openStorage({ slowFlushMs: 0 });
    const commit = (value: string) =>
      new Promise<void>((resolve, reject) => {
        const ended = (fault?: unknown) => (fault === undefined ? resolve() : reject(fault));
        expect(storage.commitInBackground(new Map([["last", value]]), ended)).toBe(true);
      });
    for (let at = 0; at < count; at++) storage.get(keyOf(at));
    expect(mappedOf(path)).toBeGreaterThan(maxMappedBytes);
    // One begins in the same turn as the former ended, so that the timer always finds one in flight.
    let rounds = 0;
    while (mappedOf(path) > maxMappedBytes) await commit(String(++rounds));
    expect(storage.get("last")).toBe(String(rounds));
    await commit("after");
    expect([storage.get("last"), storage.get(keyOf(7))]).toEqual(["after", textOf(7)]);
  },
);

test.runIf(process.platform === "linux")("unmaps the file after much of it was read", async () => {
  const { path, storage } = await openStorage();
  for (let at = 0; at < count; at++) expect(storage.get(keyOf(at))).toBe(textOf(at));
  expect(mappedOf(path)).toBeGreaterThan(maxMappedBytes);
  await expect.poll(() => mappedOf(path)).toBeLessThan(maxMappedBytes);
  const seen: string[] = [];
  storage.scan({ start: "k", end: "l" }, (key, value) => {
    // A read during a scan must not end the scan.
    expect(storage.get(key)).toBe(value);
    seen.push(key);
    return true;
  });
  expect(seen).toEqual(Array.from({ length: count }, (_, at) => keyOf(at)));
});

test.runIf(process.platform === "linux")(
  "a commit that reads what it replaces is stored, and can be undone",
  async () => {
    const { path, storage } = await openStorage();
    const before = storage.checkpoint();
    const keys = Array.from({ length: count }, (_, at) => keyOf(at));
    for (const round of ["one", "two", "three"]) {
      storage.commit(new Map(keys.map((key) => [key, `${round} ${key}`])));
      for (const key of keys) expect(storage.get(key)).toBe(`${round} ${key}`);
      if (round === "one") await expect.poll(() => mappedOf(path)).toBeLessThan(maxMappedBytes);
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
  for (let at = 0; at < count; at++) storage.get(keyOf(at));
  const read = () => storage.get(keyOf(0));
  await expect.poll(() => mappedOf(path)).toBeLessThan(maxMappedBytes);
  expect(read).toThrow(/another process has acquired the folder/);
  expect(() => storage.commit(new Map([["a", "b"]]))).toThrow(/another process has acquired the folder/);
});

test.runIf(process.platform === "linux")("maps the file again once in ten seconds at most", () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const mapAgain = vi.fn(() => true);
  const mapped = new MappedMemory(mapAgain, -1);
  mapped.count(1000);
  vi.advanceTimersByTime(10_000);
  expect(mapAgain).toHaveBeenCalledTimes(0);
  mapped.count(1000);
  vi.advanceTimersByTime(0);
  expect(mapAgain).toHaveBeenCalledTimes(1);
  mapped.count(100_000);
  mapped.count(100_000);
  vi.advanceTimersByTime(9_999);
  expect(mapAgain).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(mapAgain).toHaveBeenCalledTimes(2);
  mapped.count(100_000);
  mapped.close();
  vi.advanceTimersByTime(10_000);
  expect(mapAgain).toHaveBeenCalledTimes(2);
});
