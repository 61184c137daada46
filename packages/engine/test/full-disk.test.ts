import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Engine, isEngineError, openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

/** Mounts a disk of a few megabytes, which the test fills. */
function mountSmallDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "engine-full-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", path], { stdio: "pipe" });
    return path;
  } catch {
    rmdirSync(path);
    return undefined;
  }
}

const mustRun = process.env["CI"] === "true" && process.platform === "linux" && process.getuid?.() === 0;
const disk = mountSmallDisk();
if (disk === undefined && mustRun)
  throw new Error("a small disk cannot be mounted, although this is root on Linux");

const resize = (size: string) => execFileSync("mount", ["-o", `remount,size=${size}`, disk ?? ""]);
const key = (id: number) => ({ id: { N: String(id) } });
const item = (id: number) => ({ ...key(id), text: { S: String(id).repeat(3000).slice(0, 3000) } });
const TableName = "items";
let engine: Engine;

async function put(id: number): Promise<"written" | "full"> {
  try {
    await engine.putItem({ TableName, Item: item(id) });
    return "written";
  } catch (error) {
    if (!isEngineError(error, "ENGINE_DISK_FULL")) throw error;
    return "full";
  }
}

async function has(id: number): Promise<boolean> {
  const { Item } = await engine.getItem({ TableName, Key: key(id), ConsistentRead: true });
  if (Item !== undefined) expect(Item).toEqual(item(id));
  return Item !== undefined;
}

describe.skipIf(disk === undefined)("on a full disk (skipped where no small disk can be mounted)", () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);

  beforeAll(async () => {
    process.on("unhandledRejection", note);
    engine = await openEngine({ storage: { kind: "folder", path: join(disk ?? "", "data") } });
    await engine.createTable({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "N" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    });
  });
  afterAll(async () => {
    process.off("unhandledRejection", note);
    await engine.close();
    execFileSync("umount", [disk ?? ""]);
    await rm(disk ?? "", { recursive: true, force: true });
  });

  test("rejects writes, still reads, and resumes writing when there is space", async () => {
    let next = 0;
    while ((await put(next)) === "written") next++;
    const firstRejected = next;
    expect(firstRejected).toBeGreaterThan(100);

    const error = await engine.putItem({ TableName, Item: item(next) }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "ENGINE_DISK_FULL",
      kind: "unavailable",
      ambiguous: false,
      retryable: true,
      details: { path: join(disk ?? "", "data") },
    });
    // Callers of one commit fail together, and none of their writes is applied.
    const together = await Promise.all(Array.from({ length: 40 }, (_, at) => put(100_000 + at)));
    expect(new Set(together)).toEqual(new Set(["full"]));
    for (let id = 0; id < firstRejected; id++) expect(await has(id)).toBe(true);
    expect(await has(firstRejected)).toBe(false);
    expect(await has(100_000)).toBe(false);

    resize("8m");
    expect(await put(firstRejected)).toBe("written");
    expect(await has(firstRejected)).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  test("creates no folder; the engine can be closed, and opened again when there is space", async () => {
    while ((await put(300_000 + Math.floor(performance.now() * 1000))) === "written");
    await expect(
      openEngine({ storage: { kind: "folder", path: join(disk ?? "", "other") } }),
    ).rejects.toSatisfy((error) => isEngineError(error, "ENGINE_DISK_FULL"));
    await engine.close();
    resize("16m");
    engine = await openEngine({ storage: { kind: "folder", path: join(disk ?? "", "data") } });
    expect(await has(0)).toBe(true);
    expect(await put(1)).toBe("written");
  });

  test("can later create a folder whose creation ran out of space", async () => {
    const small = mountSmallDisk() ?? "";
    onTestFinished(async () => {
      execFileSync("umount", [small]);
      await rm(small, { recursive: true, force: true });
    });
    const open = () => openEngine({ storage: { kind: "folder", path: small } });
    for (const room of ["4k", "8k", "12k", "16k", "32k"]) {
      execFileSync("mount", ["-o", `remount,size=${room}`, small]);
      await expect(open()).rejects.toSatisfy((error) => isEngineError(error, "ENGINE_DISK_FULL"));
    }
    execFileSync("mount", ["-o", "remount,size=4m", small]);
    await (await open()).close();
  });
});
