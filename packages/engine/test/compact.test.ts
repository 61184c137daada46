/** Compacting a folder while processes die, or open it at the same time. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { compactFolder } from "@tablekeep/engine";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { removeOwnerRecord } from "../src/storage/folder-owner.ts";
import { FolderStorage } from "../src/storage/folder-storage.ts";
import { bundleChild, startChild } from "./children/start-child.ts";

const scripts = { compactor: "", holder: "" };
beforeAll(async () => {
  scripts.compactor = await bundleChild("killed-compactor");
  scripts.holder = await bundleChild("folder-holder");
});
afterAll(async () => {
  for (const script of Object.values(scripts)) await rm(dirname(script), { recursive: true, force: true });
});

const keys = Array.from({ length: 1000 }, (_, at) => `k${String(at).padStart(4, "0")}`);

async function filledFolder(): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), "engine-compact-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const storage = await FolderStorage.open(path);
  // Twice, so that there are free pages.
  for (const text of ["old", "new"]) storage.commit(new Map(keys.map((key) => [key, text.repeat(1000)])));
  await storage.close();
  return path;
}

async function keysIn(path: string): Promise<string[]> {
  const storage = await FolderStorage.open(path);
  const found: string[] = [];
  storage.scan({ start: "k", end: "l" }, (key, value) => value.startsWith("new") && found.push(key) > 0);
  await storage.close();
  return found;
}

test("a process that is killed while it compacts loses nothing, and the next one removes its copy", async () => {
  const path = await filledFolder();
  const drafts = () => readdirSync(path).filter((name) => name.startsWith("compact."));
  for (const when of ["before", "after"]) {
    const child = startChild(scripts.compactor, path, when);
    await child.ended;
    expect(child.process.signalCode).toBe("SIGKILL");
    expect(drafts().length).toBe(1);
    expect(await keysIn(path)).toEqual(keys);
  }
  await compactFolder(path);
  expect(drafts()).toEqual([]);
  expect(await keysIn(path)).toEqual(keys);
});

test("reports how much is copied", async () => {
  const path = await filledFolder();
  const reports: { readonly bytes: number; readonly bytesBefore: number }[] = [];
  const { bytesBefore, bytesAfter } = await compactFolder(path, { onProgress: (each) => reports.push(each) });
  expect(reports.at(-1)).toEqual({ bytes: expect.any(Number), bytesBefore });
  expect(reports.at(-1)?.bytes).toBeGreaterThan(keys.length * 3_000);
  expect(reports.at(-1)?.bytes).toBeLessThanOrEqual(bytesAfter + 65_536);
});

test.runIf(process.platform === "linux")(
  "a process that has opened the former file opens the new one",
  async () => {
    const path = await filledFolder();
    const copy = join(path, "copy");
    const storage = await FolderStorage.open(path);
    mkdirSync(copy);
    await storage.copyTo(copy);
    // As in another container, the other process cannot see this one.
    removeOwnerRecord(path);
    let holder: ReturnType<typeof startChild> | undefined;
    storage.runExclusively(() => {
      holder = startChild(scripts.holder, path, "0");
      // It waits for the writer lock now.
      while (!mappedFiles(holder.process.pid).includes(join(path, "data.mdb"))) pause(20);
      renameSync(join(copy, "data.mdb"), join(path, "data.mdb"));
    });
    await storage.close();
    expect(await holder?.firstLine).toMatchObject({ won: true });
    const files = mappedFiles(holder?.process.pid);
    holder?.process.stdin?.end();
    await holder?.ended;
    expect(files).toContain(join(path, "data.mdb"));
    expect(files).not.toContain(`${join(path, "data.mdb")} (deleted)`);
  },
);

/** The files that a process has mapped. Unlike descriptors, it does not inherit them. */
function mappedFiles(pid: number | undefined): string[] {
  const maps = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
  return maps.flatMap((map) => /\s(\/.*)$/.exec(map)?.[1] ?? []);
}

/** Waits without a turn of the event loop. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
