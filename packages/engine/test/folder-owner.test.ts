import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  checkFolderFormat,
  type Engine,
  isEngineError,
  isEngineFolder,
  openEngine,
  readFolderOwner,
} from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleChild, type StartedChild, startChild } from "./children/start-child.ts";

interface Report {
  readonly won: boolean;
  readonly pid: number;
  readonly owner?: number;
}

let base = "";
let script = "";
let made = 0;
const newPath = () => join(base, `folder-${++made}`);
const open = (path: string): Promise<Engine> => openEngine({ storage: { kind: "folder", path } });
const hold = (path: string, ...more: string[]) => startChild<Report>(script, path, ...more);

async function kill(child: StartedChild<Report>): Promise<void> {
  child.process.kill("SIGKILL");
  await child.ended;
}

async function rewriteOwner(path: string, changes: object): Promise<void> {
  const file = join(path, "owner.json");
  const record = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...record, ...changes }));
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "engine-owner-"));
  script = await bundleChild("folder-holder");
});
afterAll(async () => {
  await rm(base, { recursive: true, force: true });
  await rm(dirname(script), { recursive: true, force: true });
});

describe("a folder that is open", () => {
  test("is rejected in another process, with the owner's process and endpoint", async () => {
    const path = newPath();
    const owner = hold(path, "0", "http://127.0.0.1:8000");
    const { pid } = await owner.firstLine;
    const error = await open(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "ENGINE_FOLDER_LOCKED",
      kind: "conflict",
      details: { path, pid, endpoint: "http://127.0.0.1:8000" },
    });
    expect(readFolderOwner(path)).toMatchObject({ pid, endpoint: "http://127.0.0.1:8000" });
    owner.process.stdin?.end();
    await owner.ended;
    expect(readFolderOwner(path)).toBeUndefined();
    await (await open(path)).close();
  });

  test("is rejected for a second opening in the same process until it is closed", async () => {
    const path = newPath();
    const engine = await open(path);
    await expect(open(path)).rejects.toMatchObject({
      code: "ENGINE_FOLDER_LOCKED",
      details: { pid: process.pid },
    });
    await engine.listTables({});
    await engine.close();
    const again = await open(path);
    await again.close();
  });

  test("names an endpoint only while it is served", async () => {
    const path = newPath();
    const engine = await open(path);
    expect(readFolderOwner(path)).toEqual({ pid: process.pid, host: expect.any(String) });
    engine.announce("http://127.0.0.1:1");
    expect(readFolderOwner(path)?.endpoint).toBe("http://127.0.0.1:1");
    engine.announce(undefined);
    expect(readFolderOwner(path)?.endpoint).toBeUndefined();
    const listeners = [{ name: "http", url: "http://127.0.0.1:8025/" }];
    engine.announce(undefined, undefined, listeners);
    expect(readFolderOwner(path)).toMatchObject({ pid: process.pid, listeners });
    await rewriteOwner(path, { listeners: [null, 1, { name: "smtp" }, ...listeners] });
    expect(readFolderOwner(path)?.listeners).toEqual(listeners);
    engine.announce(undefined);
    expect(readFolderOwner(path)?.listeners).toBeUndefined();
    await engine.close();
    engine.announce("http://127.0.0.1:2");
    expect(readFolderOwner(path)).toBeUndefined();
  });
});

describe("a folder whose owner is gone", () => {
  test("is acquired after the owner was killed", async () => {
    const path = newPath();
    const owner = hold(path);
    await owner.firstLine;
    await kill(owner);
    expect(await readdir(path)).toContain("owner.json");
    expect(readFolderOwner(path)).toBeUndefined();
    const engine = await open(path);
    expect(readFolderOwner(path)?.pid).toBe(process.pid);
    await engine.close();
  });

  test("is acquired although another process has the owner's process id by now", async () => {
    const path = newPath();
    const engine = await open(path);
    await engine.close();
    for (const pid of [process.pid, process.ppid, 1]) {
      const crashed = await open(path);
      const record = await readFile(join(path, "owner.json"), "utf8");
      await crashed.close();
      await writeFile(
        join(path, "owner.json"),
        JSON.stringify({ ...JSON.parse(record), pid, startTime: "1" }),
      );
      await (await open(path)).close();
    }
  });

  test.each([
    ["of another boot", { boot: "another", host: "another" }],
    ["of another container", { pidNamespace: "pid:[1]" }],
  ])("is acquired from an owner %s, but not while that one has it open", async (_what, changes) => {
    const path = newPath();
    const owner = hold(path);
    await owner.firstLine;
    await rewriteOwner(path, changes);
    await expect(open(path)).rejects.toSatisfy((error) => isEngineError(error, "ENGINE_FOLDER_LOCKED"));
    await kill(owner);
    await (await open(path)).close();
  });

  test.each(["", "{", "null", '{"pid":"1"}'])(
    "is acquired in spite of a damaged record: %j",
    async (text) => {
      const path = newPath();
      await (await open(path)).close();
      await writeFile(join(path, "owner.json"), text);
      expect(readFolderOwner(path)).toBeUndefined();
      await (await open(path)).close();
    },
  );

  test("is acquired by exactly one of several processes", async () => {
    const path = newPath();
    const first = hold(path);
    await first.firstLine;
    await kill(first);
    for (let round = 0; round < 4; round++) {
      const takers = Array.from({ length: 4 }, () => hold(path, String(Date.now() + 600)));
      const reports = await Promise.all(takers.map(({ firstLine }) => firstLine));
      const [winner, ...others] = reports.filter(({ won }) => won);
      expect(others).toEqual([]);
      expect(reports.filter(({ won }) => !won).map(({ owner }) => owner)).toEqual(
        Array.from({ length: 3 }, () => winner?.pid),
      );
      await Promise.all(takers.map(kill));
    }
  });

  test("is acquired by exactly one of many openings in one process", async () => {
    const path = newPath();
    for (let round = 0; round < 20; round++) {
      const results = await Promise.allSettled(Array.from({ length: 5 }, () => open(path)));
      const opened = results.filter((result) => result.status === "fulfilled");
      expect(opened).toHaveLength(1);
      for (const { value } of opened) await value.close();
    }
  });
});

describe("the files of a folder", () => {
  test("are private, and so is a folder that the engine created", async () => {
    const path = newPath();
    const engine = await open(path);
    engine.announce("http://127.0.0.1:1");
    const mode = async (name: string) => ((await stat(join(path, name))).mode & 0o777).toString(8);
    expect(await mode(".")).toBe("700");
    const names = await readdir(path);
    expect(names.sort()).toEqual(["data.mdb", "format.json", "lock.mdb", "owner.json"]);
    for (const name of names) expect(await mode(name)).toBe("600");
    await engine.close();
    await chmod(join(path, "data.mdb"), 0o644);
    await (await open(path)).close();
    expect(await mode("data.mdb")).toBe("600");
  });

  test("can be in a folder whose name has a dot", async () => {
    const path = join(base, "data.v1");
    await (await open(path)).close();
    expect(await readdir(path)).toContain("data.mdb");
  });

  test.each(['{"format":"4"}', "{", "7"])("of another format are rejected: %j", async (text) => {
    const path = newPath();
    await (await open(path)).close();
    await writeFile(join(path, "format.json"), text);
    await expect(open(path)).rejects.toMatchObject({
      code: "ENGINE_FORMAT_UNKNOWN",
      details: { path, supported: "3" },
    });
    expect(() => checkFolderFormat(path)).toThrow(expect.objectContaining({ code: "ENGINE_FORMAT_UNKNOWN" }));
    expect(await readFile(join(path, "format.json"), "utf8")).toBe(text);
  });

  test("of a database without a format are rejected", async () => {
    const path = newPath();
    await (await open(path)).close();
    await rm(join(path, "format.json"));
    await expect(open(path)).rejects.toMatchObject({
      code: "ENGINE_FORMAT_UNKNOWN",
      details: { found: "none" },
    });
  });

  test("are freed of drafts of killed processes, and of nothing else", async () => {
    const path = newPath();
    await (await open(path)).close();
    const before = await readdir(path);
    await writeFile(join(path, "owner.json.0b5fa9f6-7d5e-4a11-9a6f-3a5f4e1c2d3b"), "{");
    await writeFile(join(path, "owner.json.bak"), "mine");
    await (await open(path)).close();
    expect((await readdir(path)).sort()).toEqual([...before, "owner.json.bak"].sort());
  });

  test("cannot be created in place of a file", async () => {
    const path = newPath();
    await mkdir(base, { recursive: true });
    await writeFile(path, "");
    await expect(open(path)).rejects.toMatchObject({ code: "ENGINE_FOLDER_UNUSABLE", details: { path } });
    await expect(open(join(path, "below"))).rejects.toMatchObject({ code: "ENGINE_FOLDER_UNUSABLE" });
  });

  test("is created with its parent folders, and rejected where that is impossible", async () => {
    const path = join(newPath(), "a", "b");
    await (await open(path)).close();
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    if (process.platform !== "linux") return;
    for (const nowhere of ["/proc/tablekeep", "/proc/tablekeep/data"]) {
      await expect(open(nowhere)).rejects.toMatchObject({ code: "ENGINE_FOLDER_UNUSABLE" });
    }
  });
});

/** Runs `work` without the rights of root, which may read every folder. */
function asAnotherUser<Result>(work: () => Result): Result {
  const { geteuid, seteuid } = process;
  if (geteuid?.() !== 0) return work();
  seteuid?.(65_534);
  try {
    return work();
  } finally {
    seteuid?.(0);
  }
}

test.skipIf(process.platform === "win32")(
  "a folder that may not be read is not a folder without data",
  async () => {
    const path = newPath();
    expect(isEngineFolder(path)).toBe(false);
    await (await open(path)).close();
    expect(isEngineFolder(path)).toBe(true);
    expect(isEngineFolder(join(path, "data.mdb"))).toBe(false);
    await chmod(path, 0);
    expect(() => asAnotherUser(() => isEngineFolder(path))).toThrow(
      expect.objectContaining({ code: "ENGINE_FOLDER_DENIED", kind: "denied" }),
    );
    await chmod(path, 0o700);
  },
);
