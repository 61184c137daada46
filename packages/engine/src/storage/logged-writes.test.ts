import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseDescriptor, descriptorsOf, redirectDescriptor } from "../../test/descriptors.ts";
import { checkFolderFormat } from "./folder-files.ts";
import { FolderStorage, type FolderStorageOptions } from "./folder-storage.ts";

let base = "";
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "engine-log-"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

let folders = 0;
const newFolder = () => join(base, String(++folders));
const logOf = (path: string) => join(path, "writes.log");

type Writes = readonly (readonly [string, string | undefined])[];
const commit = (storage: FolderStorage, ...writes: Writes) => storage.commit(new Map(writes));

function contentOf(storage: FolderStorage): Record<string, string> {
  const found: Record<string, string> = {};
  storage.scan({ start: "\0", end: "\xff" }, (key, value) => {
    found[key] = value;
    return true;
  });
  return found;
}

/** What a process that opens a copy of the folder finds, as after a crash at this moment. */
async function afterCrash(path: string, options?: FolderStorageOptions): Promise<Record<string, string>> {
  const copy = newFolder();
  cpSync(path, copy, { recursive: true });
  rmSync(join(copy, "owner.json"), { force: true });
  const storage = await FolderStorage.open(copy, options);
  const found = contentOf(storage);
  await storage.close();
  expect(existsSync(logOf(copy))).toBe(false);
  const again = await FolderStorage.open(copy, options);
  expect(contentOf(again)).toEqual(found);
  await again.close();
  return found;
}

test("commits are in the log until they are moved, and a crash loses none", async () => {
  const path = newFolder();
  const storage = await FolderStorage.open(path);
  commit(storage, ["a", "1"], ["b", "2"], ["ä", "ü€𝄞"]);
  commit(storage, ["a", undefined], ["c", ""]);
  const expected = { b: "2", c: "", ä: "ü€𝄞" };
  expect(contentOf(storage)).toEqual(expected);
  expect(existsSync(logOf(path))).toBe(true);
  expect(statSync(logOf(path)).mode & 0o777).toBe(0o600);
  expect(await afterCrash(path)).toEqual(expected);
  expect(await afterCrash(path, { durable: false })).toEqual(expected);
  await storage.close();
  expect(readdirSync(path).sort()).toEqual(["data.mdb", "format.json", "lock.mdb"]);
  expect(await afterCrash(path)).toEqual(expected);
});

test("a crash at any byte of the log leaves the commits that are complete, in their order", async () => {
  const path = newFolder();
  const storage = await FolderStorage.open(path);
  const states: { bytes: number; content: Record<string, string> }[] = [{ bytes: 0, content: {} }];
  const used = () => readFileSync(logOf(path)).findLastIndex((byte) => byte !== 0) + 1;
  for (let at = 1; at <= 4; at++) {
    commit(storage, ["k", `value ${at}`], [`k${at}`, "x".repeat(at)]);
    states.push({ bytes: used(), content: contentOf(storage) });
  }
  const total = states.at(-1)?.bytes ?? 0;
  const whole = newFolder();
  cpSync(path, whole, { recursive: true });
  rmSync(join(whole, "owner.json"));
  for (let length = 0; length <= total; length += 7) {
    const cut = newFolder();
    cpSync(path, cut, { recursive: true });
    rmSync(join(cut, "owner.json"));
    truncateSync(logOf(cut), length);
    expect(await afterCrash(cut)).toEqual(states.findLast(({ bytes }) => bytes <= length)?.content);
  }
  await storage.close();
  // A wrong byte in the last record looks like one that was not completed. In another one it is damage.
  const beforeLast = states.at(-2);
  for (let position = 0; position < total; position += 11) {
    const damaged = newFolder();
    cpSync(whole, damaged, { recursive: true });
    const bytes = readFileSync(logOf(damaged));
    bytes[position] = (bytes[position] ?? 0) ^ 0x55;
    writeFileSync(logOf(damaged), bytes);
    if (position >= (beforeLast?.bytes ?? 0)) {
      expect(await afterCrash(damaged)).toEqual(beforeLast?.content);
      continue;
    }
    await expect(FolderStorage.open(damaged)).rejects.toMatchObject({
      code: "ENGINE_FOLDER_UNUSABLE",
      details: { path: damaged },
    });
    expect(readFileSync(logOf(damaged)).equals(bytes)).toBe(true);
    if (position % 5 !== 0) continue;
    rmSync(logOf(damaged));
    expect(await afterCrash(damaged)).toEqual({});
  }
});

test("records that were moved already do not come back", async () => {
  const path = newFolder();
  const storage = await FolderStorage.open(path, { maxLogBytes: 400 });
  let moved = 0;
  let length = 0;
  for (let at = 0; at < 100; at++) {
    commit(storage, [`k${at % 7}`, at % 5 === 0 ? undefined : `${at}-${"x".repeat(at % 90)}`]);
    const { size } = statSync(logOf(path));
    if (size === length) moved++;
    length = size;
    if (at % 9 === 0) expect(await afterCrash(path)).toEqual(contentOf(storage));
  }
  expect(moved).toBeGreaterThan(5);
  // A commit that is too long for the log goes to the database with all others.
  commit(storage, ["long", "y".repeat(1000)], ["k1", undefined]);
  expect(await afterCrash(path)).toEqual(contentOf(storage));
  const expected = contentOf(storage);
  const stale = readFileSync(logOf(path));
  await storage.close();
  writeFileSync(logOf(path), stale);
  expect(await afterCrash(path)).toEqual(expected);
});

test("what the last owner left is continued by the next, also in the log", async () => {
  const path = newFolder();
  const storage = await FolderStorage.open(path);
  commit(storage, ["a", "1"]);
  const copy = newFolder();
  cpSync(path, copy, { recursive: true });
  rmSync(join(copy, "owner.json"));
  await storage.close();
  // Bytes of a record that was not completed.
  const bytes = readFileSync(logOf(copy));
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
  writeFileSync(logOf(copy), bytes.subarray(0, end));
  appendFileSync(logOf(copy), Buffer.alloc(300, 7));
  const next = await FolderStorage.open(copy);
  commit(next, ["b", "2"]);
  expect(await afterCrash(copy)).toEqual({ a: "1", b: "2" });
  await next.close();
});

test("a commit without changes does not end the log for those after it", async () => {
  const path = newFolder();
  const storage = await FolderStorage.open(path);
  commit(storage, ["a", "1"]);
  commit(storage);
  const point = storage.checkpoint();
  storage.restore(point);
  commit(storage, ["b", "2"]);
  expect(await afterCrash(path)).toEqual({ a: "1", b: "2" });
  await storage.close();
});

test("a log of another database is rejected, and neither is changed", async () => {
  const [one, two] = [newFolder(), newFolder()];
  for (const path of [one, two]) {
    const storage = await FolderStorage.open(path);
    commit(storage, ["moved", path]);
    await storage.close();
  }
  const storage = await FolderStorage.open(one);
  commit(storage, ["logged", "1"]);
  cpSync(logOf(one), logOf(two));
  await storage.close();
  const before = [logOf(two), join(two, "data.mdb")].map((file) => readFileSync(file));
  await expect(FolderStorage.open(two)).rejects.toMatchObject({
    code: "ENGINE_FOLDER_UNUSABLE",
    details: { path: two },
  });
  expect([logOf(two), join(two, "data.mdb")].map((file) => readFileSync(file))).toEqual(before);
  // The other database has had fewer commits: their numbers are no reason to take these for obsolete.
  const other = await FolderStorage.open(one, { maxLogBytes: 300 });
  for (let at = 0; at < 20; at++) commit(other, ["k", String(at)]);
  await other.close();
  const fewer = await FolderStorage.open(two.replace(/$/, "-fewer"));
  commit(fewer, ["moved", "no"]);
  cpSync(logOf(`${two}-fewer`), logOf(one));
  await fewer.close();
  await expect(FolderStorage.open(one)).rejects.toMatchObject({ code: "ENGINE_FOLDER_UNUSABLE" });
  // An older copy of the database lacks commits that were moved since.
  rmSync(logOf(two));
  const old = readFileSync(join(two, "data.mdb"));
  const later = await FolderStorage.open(two, { maxLogBytes: 300 });
  for (let at = 0; at < 20; at++) commit(later, ["k", String(at)]);
  const log = readFileSync(logOf(two));
  await later.close();
  writeFileSync(logOf(two), log);
  writeFileSync(join(two, "data.mdb"), old);
  await expect(FolderStorage.open(two)).rejects.toMatchObject({ code: "ENGINE_FOLDER_UNUSABLE" });
});

test("a folder of format 1 is read, and marked as one that older versions cannot read", async () => {
  const path = newFolder();
  const storage = await FolderStorage.open(path);
  commit(storage, ["a", "1"]);
  await storage.close();
  writeFileSync(join(path, "format.json"), '{"format":"1"}\n');
  checkFolderFormat(path);
  const held = await FolderStorage.open(path);
  writeFileSync(join(path, "format.json"), '{"format":"1"}\n');
  await expect(FolderStorage.open(path)).rejects.toMatchObject({ code: "ENGINE_FOLDER_LOCKED" });
  expect(readFileSync(join(path, "format.json"), "utf8")).toBe('{"format":"1"}\n');
  await held.close();
  expect(await afterCrash(path)).toEqual({ a: "1" });
  await (await FolderStorage.open(path)).close();
  expect(readFileSync(join(path, "format.json"), "utf8")).toBe('{"format":"3"}\n');
});

test("a folder whose log cannot be removed is released", async () => {
  const path = newFolder();
  const storage = await FolderStorage.open(path);
  commit(storage, ["a", "1"]);
  rmSync(logOf(path));
  mkdirSync(logOf(path));
  await storage.close();
  rmSync(logOf(path), { recursive: true });
  expect(await afterCrash(path)).toEqual({ a: "1" });
});

describe.skipIf(process.platform !== "linux")("a log that cannot be written (on Linux only)", () => {
  test("does not stop commits: they go to the database", async () => {
    const path = newFolder();
    const storage = await FolderStorage.open(path);
    commit(storage, ["a", "1"]);
    const [descriptor = -1] = descriptorsOf(logOf(path));
    redirectDescriptor(descriptor, "/dev/null", "r");
    commit(storage, ["b", "2"]);
    commit(storage, ["c", "3"]);
    expect(contentOf(storage)).toEqual({ a: "1", b: "2", c: "3" });
    expect(await afterCrash(path)).toEqual({ a: "1", b: "2", c: "3" });
    redirectDescriptor(descriptor, logOf(path), "r+");
    commit(storage, ["d", "4"], ["a", undefined]);
    expect(await afterCrash(path)).toEqual({ b: "2", c: "3", d: "4" });
    await storage.close();
    expect(await afterCrash(path)).toEqual({ b: "2", c: "3", d: "4" });
  });

  test("like the database: commits fail, reads go on, and what is in the log stays", async () => {
    const path = newFolder();
    const storage = await FolderStorage.open(path);
    commit(storage, ["a", "1"]);
    const files = [logOf(path), join(path, "data.mdb")];
    const descriptors = files.flatMap((file) => descriptorsOf(file).map((each) => [each, file] as const));
    for (const [descriptor] of descriptors) redirectDescriptor(descriptor, "/dev/null", "r");
    expect(() => commit(storage, ["b", "2"])).toThrow(expect.objectContaining({ reason: "failed" }));
    expect(contentOf(storage)).toEqual({ a: "1" });
    expect(await afterCrash(path)).toEqual({ a: "1" });
    for (const [descriptor, file] of descriptors)
      if (descriptorsOf("/dev/null").includes(descriptor)) redirectDescriptor(descriptor, file, "r+");
    commit(storage, ["c", "3"]);
    expect(contentOf(storage)).toEqual({ a: "1", c: "3" });
    expect(await afterCrash(path)).toEqual({ a: "1", c: "3" });
    await storage.close();
  });

  // Repeated, because a read may or may not be in progress when the disk fails.
  test("a move whose end fails is repeated, or found to have taken effect", { repeats: 4 }, async () => {
    const path = newFolder();
    const storage = await FolderStorage.open(path);
    commit(storage, ["a", "old"], ["b", "old"]);
    redirectDescriptor(databaseDescriptor(path, "meta"), "/dev/null", "r");
    const long = "x".repeat(2_000_000);
    expect(() => commit(storage, ["a", "new"], ["c", long])).toThrow(
      expect.objectContaining({ reason: "failed" }),
    );
    const either = [
      { a: "old", b: "old" },
      { a: "new", b: "old", c: long },
    ];
    const found = contentOf(storage);
    expect(either).toContainEqual(found);
    expect(await afterCrash(path)).toEqual(found);
    commit(storage, ["d", "1"]);
    expect(contentOf(storage)).toEqual({ ...found, d: "1" });
    expect(await afterCrash(path)).toEqual({ ...found, d: "1" });
    await storage.close();
    expect(await afterCrash(path)).toEqual({ ...found, d: "1" });
  });

  test("the log of another owner stays", async () => {
    const path = newFolder();
    const storage = await FolderStorage.open(path, { maxLogBytes: 0 });
    commit(storage, ["a", "1"]);
    // As if a process that cannot see this one had acquired the folder while LMDB was being reopened.
    redirectDescriptor(databaseDescriptor(path, "meta"), "/dev/null", "r");
    writeFileSync(join(path, "owner.json"), JSON.stringify({ pid: 1, token: "other", host: "elsewhere" }));
    expect(() => commit(storage, ["b", "2"])).toThrow(expect.objectContaining({ reason: "failed" }));
    writeFileSync(logOf(path), "of the other owner");
    expect(() => commit(storage, ["c", "3"])).toThrow(expect.objectContaining({ reason: "failed" }));
    await storage.close();
    expect(readFileSync(logOf(path), "utf8")).toBe("of the other owner");
  });

  test("nor created: commits go to the database", async () => {
    const path = newFolder();
    const storage = await FolderStorage.open(path);
    mkdirSync(logOf(path));
    commit(storage, ["a", "1"]);
    expect(contentOf(storage)).toEqual({ a: "1" });
    rmSync(logOf(path), { recursive: true });
    commit(storage, ["b", "2"]);
    expect(await afterCrash(path)).toEqual({ a: "1", b: "2" });
    await storage.close();
  });
});
