import { TablekeepError } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { finalEntry, UndoCheckpoints, type UndoEntry, writeWithCheckpoint } from "./undo-checkpoints.ts";

const io = {
  stdout: { write() {} },
  stderr: { write() {} },
  env: {},
  signal: new AbortController().signal,
};
const entry = (what: string, more: Partial<UndoEntry> = {}): UndoEntry => ({
  what,
  bytes: 10,
  undo: async () => ({}),
  ...more,
});
const lost = (ambiguous: boolean) =>
  new TablekeepError({ code: "LOST", kind: "unavailable", message: "lost", details: {}, ambiguous });

describe("UndoCheckpoints", () => {
  test("undoes the newest write first, each once", async () => {
    const log = new UndoCheckpoints("write");
    log.add(entry("one"));
    log.add(entry("two"));
    expect(await log.undo(undefined, io)).toMatchObject({ what: "two" });
    await expect(log.undo("write-2", io)).rejects.toMatchObject({ code: "CLI_MCP_NO_UNDO" });
    expect(await log.undo(undefined, io)).toMatchObject({ what: "one" });
  });

  test("keeps the order of a write whose undo failed", async () => {
    const log = new UndoCheckpoints("write");
    log.add(entry("one", { undo: () => Promise.reject(lost(false)) }));
    log.add(entry("two"));
    await expect(log.undo("write-1", io)).rejects.toMatchObject({ code: "LOST" });
    expect(log.list().map(({ what }) => what)).toEqual(["two", "one"]);
  });

  test("does not undo a write twice at the same time", async () => {
    const log = new UndoCheckpoints("write");
    let undone = 0;
    log.add(entry("one", { undo: async () => ({ times: ++undone }) }));
    const both = await Promise.allSettled([log.undo("write-1", io), log.undo("write-1", io)]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(undone).toBe(1);
  });

  test("drops the oldest beyond its limits, and keeps nothing that is too large", () => {
    const log = new UndoCheckpoints("write");
    for (let n = 1; n <= 101; n++) log.add(entry(`${n}`));
    expect(log.list()).toHaveLength(100);
    expect(log.list().at(-1)?.what).toBe("2");
    log.add(entry("large", { bytes: 32 * 1024 * 1024 }));
    expect(log.list().map(({ what }) => what)).toEqual(["large"]);
    expect(log.has(log.add(entry("larger", { bytes: 33 * 1024 * 1024 })))).toBe(false);
    expect(log.list().map(({ what }) => what)).toEqual(["large"]);
  });

  test.each([
    ["is final", finalEntry("append", "events are facts")],
    ["was too large to keep", entry("append", { bytes: 33 * 1024 * 1024 })],
  ])("undoes no older write in place of one that %s", async (_why, final) => {
    const log = new UndoCheckpoints("write");
    log.add(entry("put"));
    log.add(final);
    await expect(log.undo(undefined, io)).rejects.toMatchObject({ code: "CLI_MCP_NO_UNDO" });
    expect(log.list()).toEqual([{ id: "write-1", what: "put" }]);
    expect(await log.undo("write-1", io)).toMatchObject({ what: "put" });
    await expect(log.undo(undefined, io)).rejects.toMatchObject({ code: "CLI_MCP_NO_UNDO" });
  });
});

describe("writeWithCheckpoint", () => {
  test("has the checkpoint before the write, and keeps it if the outcome is unknown", async () => {
    const log = new UndoCheckpoints("write");
    const write = () => {
      expect(log.list()).toHaveLength(1);
      return Promise.reject(lost(true));
    };
    await expect(writeWithCheckpoint(log, entry("one"), write, () => undefined)).rejects.toThrow("lost");
    expect(log.list()).toHaveLength(1);
  });

  test("keeps no checkpoint of a write that failed or changed nothing", async () => {
    const log = new UndoCheckpoints("write");
    const failing = () => Promise.reject(lost(false));
    await expect(writeWithCheckpoint(log, entry("one"), failing, () => undefined)).rejects.toThrow("lost");
    const done = await writeWithCheckpoint(
      log,
      entry("two"),
      async () => 5,
      () => undefined,
    );
    expect(done).toEqual({ result: 5, undo: null });
    expect(log.list()).toEqual([]);
  });

  test("returns no id of a write that cannot be undone, and forgets one that failed", async () => {
    const log = new UndoCheckpoints("write");
    log.add(entry("one"));
    const final = finalEntry("append", "events are facts");
    const failing = () => Promise.reject(lost(false));
    await expect(writeWithCheckpoint(log, final, failing, () => final)).rejects.toThrow("lost");
    expect(await log.undo(undefined, io)).toMatchObject({ what: "one" });
    const done = await writeWithCheckpoint(
      log,
      final,
      async () => 5,
      () => final,
    );
    expect(done).toEqual({ result: 5, undo: null });
    await expect(log.undo(undefined, io)).rejects.toMatchObject({ code: "CLI_MCP_NO_UNDO" });
  });
});
