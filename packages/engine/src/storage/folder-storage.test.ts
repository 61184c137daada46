import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Engine, openEngine } from "../engine.ts";

/** LMDB has two descriptors of its file: for pages, and, with O_DSYNC, for the meta page that ends a commit. */
function descriptorOf(path: string, part: "pages" | "meta"): number {
  const file = join(path, "data.mdb");
  for (const name of readdirSync("/proc/self/fd")) {
    try {
      if (readlinkSync(`/proc/self/fd/${name}`) !== file) continue;
      const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "utf8"))?.[1] ?? "";
      const isSynced = (Number.parseInt(flags, 8) & 0o10000) !== 0;
      if (isSynced === (part === "meta")) return Number(name);
    } catch {
      // The descriptor of the listing itself is gone by now.
    }
  }
  throw new Error(`LMDB has no descriptor for ${part}`);
}

/** Lets a descriptor lead to another file. A new one takes the lowest free number, so that others are filled first. */
function lead(descriptor: number, file: string, flags: "r" | "r+"): void {
  closeSync(descriptor);
  const fillers: number[] = [];
  let opened = openSync(file, flags);
  while (opened !== descriptor && fillers.length < 1000) {
    fillers.push(opened);
    opened = openSync(file, flags);
  }
  for (const filler of fillers) closeSync(filler);
  expect(opened).toBe(descriptor);
}

const TableName = "items";
const key = (id: string) => ({ id: { S: id } });
const put = (engine: Engine, id: string) => engine.putItem({ TableName, Item: key(id) });
const has = async (engine: Engine, id: string) =>
  (await engine.getItem({ TableName, Key: key(id) })).Item !== undefined;

async function opened(): Promise<{ engine: Engine; path: string }> {
  const path = await mkdtemp(join(tmpdir(), "engine-io-"));
  const engine = await openEngine({ storage: { kind: "folder", path } });
  onTestFinished(async () => {
    await engine.close();
    await rm(path, { recursive: true });
  });
  await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
  await put(engine, "before");
  return { engine, path };
}

const failed = { code: "ENGINE_DISK_FAILED", kind: "unavailable", ambiguous: true, retryable: true };

describe.skipIf(process.platform !== "linux")("a folder whose disk fails (on Linux only)", () => {
  test("when a page is written, reads on, and writes again once the disk works", async () => {
    const { engine, path } = await opened();
    const descriptor = descriptorOf(path, "pages");
    lead(descriptor, "/dev/null", "r");
    await expect(put(engine, "lost")).rejects.toMatchObject({ ...failed, details: { path } });
    await expect(Promise.all([put(engine, "one"), put(engine, "two")])).rejects.toMatchObject(failed);
    expect([await has(engine, "before"), await has(engine, "lost")]).toEqual([true, false]);
    lead(descriptor, join(path, "data.mdb"), "r+");
    await put(engine, "after");
    expect([await has(engine, "before"), await has(engine, "after")]).toEqual([true, true]);
  });

  // Several times: whether a read is under way when the disk fails is up to chance.
  test("when a commit is ended is opened again: reads and writes go on", { repeats: 9 }, async () => {
    const { engine, path } = await opened();
    lead(descriptorOf(path, "meta"), "/dev/null", "r");
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

  test("and that cannot be opened again at once says so, and goes on once it can", async () => {
    const { engine, path } = await opened();
    const file = join(path, "data.mdb");
    lead(descriptorOf(path, "meta"), "/dev/null", "r");
    await rename(file, `${file}.away`);
    await expect(put(engine, "unknown")).rejects.toMatchObject(failed);
    // Neither does it look empty, nor is an empty one made.
    await expect(has(engine, "before")).rejects.toMatchObject({ ...failed, ambiguous: false });
    const select = engine.executeStatement({ Statement: `SELECT * FROM ${TableName}` });
    await expect(select).rejects.toMatchObject({ ...failed, ambiguous: false });
    await expect(put(engine, "refused")).rejects.toMatchObject(failed);
    expect((await engine.listTables({})).TableNames).toEqual([TableName]);
    await rename(`${file}.away`, file);
    expect(await has(engine, "before")).toBe(true);
    await put(engine, "after");
    await engine.close();
    const again = await openEngine({ storage: { kind: "folder", path } });
    expect([await has(again, "before"), await has(again, "after")]).toEqual([true, true]);
    await again.close();
  });
});

test("a folder that was named from where the process stood is the same one wherever it stands", async () => {
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
  await engine.close();
  const again = await openEngine({ storage: { kind: "folder", path: join(path, "data") } });
  await again.close();
});
