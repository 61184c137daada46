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
    const results = new Map<number, "written" | "full">();
    let next = 0;
    // A write may still succeed after one was rejected: the commits of the log may have been moved to the database meanwhile.
    for (let rejected = 0; rejected < 20; next++) {
      const result = await put(next);
      results.set(next, result);
      if (result === "full") rejected++;
    }
    expect(next).toBeGreaterThan(100);

    let error: unknown;
    while (error === undefined)
      await engine.putItem({ TableName, Item: item(next++) }).catch((thrown: unknown) => {
        error = thrown;
      });
    expect(error).toMatchObject({
      code: "ENGINE_DISK_FULL",
      kind: "unavailable",
      ambiguous: false,
      retryable: true,
      details: { path: join(disk ?? "", "data") },
    });
    // Callers of one commit fail together, and none of their writes is applied.
    const together = await Promise.all(Array.from({ length: 40 }, (_, at) => put(100_000 + at)));
    expect(new Set(together).size).toBe(1);
    expect(await has(100_000)).toBe(together[0] === "written");
    for (const [id, result] of results) expect([id, await has(id)]).toEqual([id, result === "written"]);
    const firstRejected = [...results].find(([, result]) => result === "full")?.[0] ?? -1;

    resize("8m");
    expect(await put(firstRejected)).toBe("written");
    expect(await has(firstRejected)).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  test("creates no folder; the engine can be closed, and opened again when there is space", async () => {
    const written = [0];
    for (let id = 300_000; (await put(id)) === "written"; id++) written.push(id);
    await expect(
      openEngine({ storage: { kind: "folder", path: join(disk ?? "", "other") } }),
    ).rejects.toSatisfy((error) => isEngineError(error, "ENGINE_DISK_FULL"));
    await engine.close();
    resize("16m");
    engine = await openEngine({ storage: { kind: "folder", path: join(disk ?? "", "data") } });
    for (const id of written) expect([id, await has(id)]).toEqual([id, true]);
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
