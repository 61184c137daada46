import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tableInput } from "../../test/tables.ts";
import { openEngine } from "../engine.ts";

/** A folder with a database in it, with or without a table. */
async function closedFolder(withTable: boolean): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "engine-file-"));
  onTestFinished(() => rm(path, { recursive: true }));
  const engine = await openEngine({ storage: { kind: "folder", path } });
  if (withTable) {
    await engine.createTable(tableInput());
    await engine.putItem({ TableName: "things", Item: { pk: { S: "a" } } });
  }
  await engine.close();
  // Data that the database contains after one commit is in the second of its first pages only.
  if (withTable) await changeAgain(path);
  return path;
}

async function changeAgain(path: string): Promise<void> {
  const engine = await openEngine({ storage: { kind: "folder", path } });
  await engine.putItem({ TableName: "things", Item: { pk: { S: "b" } } });
  await engine.close();
}

test.each([1, 4096, 8192, 8300, 12_288])(
  "a database with only %d bytes, unfinished on a full disk, is started over",
  async (bytes) => {
    const path = await closedFolder(false);
    truncateSync(join(path, "data.mdb"), bytes);
    const engine = await openEngine({ storage: { kind: "folder", path } });
    await engine.createTable(tableInput());
    await engine.close();
    const again = await openEngine({ storage: { kind: "folder", path } });
    expect((await again.listTables({})).TableNames).toEqual(["things"]);
    await again.close();
  },
);

const damages: readonly (readonly [string, (file: string) => void])[] = [
  ["cut short", (file) => truncateSync(file, 8192)],
  ["of something else", (file) => writeFileSync(file, "x".repeat(40_000))],
  ["of something short", (file) => writeFileSync(file, "x")],
  ["of nothing but zeros", (file) => writeFileSync(file, Buffer.alloc(40_000))],
  ["of another version", (file) => writeFileSync(file, withByte(readFileSync(file), 28, 9))],
];

/** LMDB itself does not notice before it reads them. */
test("a file whose pages are damaged is rejected", async () => {
  const path = await closedFolder(true);
  const file = join(path, "data.mdb");
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0, 2 * 8192));
  await expect(openEngine({ storage: { kind: "folder", path } })).rejects.toMatchObject({
    code: "ENGINE_FOLDER_UNUSABLE",
    kind: "invalid",
    details: { path },
  });
});

function withByte(bytes: Buffer, at: number, byte: number): Buffer {
  bytes[at] = byte;
  return bytes;
}

test.each(damages)("a file %s is rejected and not changed", async (_what, damage) => {
  const path = await closedFolder(true);
  const file = join(path, "data.mdb");
  damage(file);
  const before = readFileSync(file);
  await expect(openEngine({ storage: { kind: "folder", path } })).rejects.toMatchObject({
    code: "ENGINE_FOLDER_UNUSABLE",
    kind: "invalid",
    details: { path },
  });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test.each(["data.mdb", "lock.mdb"])("%s must be a file", async (name) => {
  const path = await closedFolder(true);
  for (const make of [
    (file: string) => mkdirSync(file),
    (file: string) => symlinkSync(join(path, "nowhere", "file"), file),
  ]) {
    rmSync(join(path, name), { recursive: true });
    make(join(path, name));
    await expect(openEngine({ storage: { kind: "folder", path } })).rejects.toMatchObject({
      code: "ENGINE_FOLDER_UNUSABLE",
    });
  }
});

test("one of two openings in the same process is rejected", async () => {
  const path = await closedFolder(false);
  for (const bytes of [0, 8192, 16_384]) {
    truncateSync(join(path, "data.mdb"), bytes);
    const both = [1, 2].map(() => openEngine({ storage: { kind: "folder", path } }));
    const [one, two] = await Promise.allSettled(both);
    expect([one?.status, two?.status].sort()).toEqual(["fulfilled", "rejected"]);
    for (const each of [one, two]) {
      if (each?.status === "fulfilled") await each.value.close();
      else expect(each?.reason).toMatchObject({ code: "ENGINE_FOLDER_LOCKED" });
    }
  }
});
