import { describe, expect, test } from "vitest";
import { UndoLog, type UndoStep } from "./undo-steps.ts";

const limits = { entries: 3, entryBytes: 2_000, bytes: 3_000 };
const { signal } = new AbortController();
const step = (more: Partial<UndoStep> = {}): UndoStep => ({
  key: "a",
  bytes: 0,
  run: async () => true,
  ...more,
});

describe("UndoLog", () => {
  test("undoes the last step first, one after the other for one key", async () => {
    const log = new UndoLog();
    const done: string[] = [];
    const named = (name: string, key?: string) =>
      step({
        ...(key === undefined ? { key: undefined as never } : { key }),
        run: async () => {
          done.push(`${name} begins`);
          await Promise.resolve();
          done.push(`${name} ends`);
          return true;
        },
      });
    log.add("one", "t", undefined, [named("1", "a"), named("2", "a"), named("3")]);
    expect(await log.undo("one", undefined, signal)).toEqual({ undone: 3, kept: 0, left: 0 });
    expect(done).toEqual(["3 begins", "3 ends", "2 begins", "2 ends", "1 begins", "1 ends"]);
  });

  test("keeps a step that failed, and those before it", async () => {
    const log = new UndoLog();
    let fails = true;
    const failing = step({
      key: "b",
      run: () => (fails ? Promise.reject(new Error("disk full")) : Promise.resolve(true)),
    });
    log.add("one", "t", undefined, [step(), failing, step({ key: "c" }), step({ key: "b" })]);
    await expect(log.undo("one", undefined, signal)).rejects.toThrow("disk full");
    fails = false;
    const { undone, left } = await log.undo("one", undefined, signal);
    expect([undone > 0, left]).toEqual([true, 0]);
  });

  test("is for the user who made the change", async () => {
    const log = new UndoLog();
    log.add("one", "t", "ann", [step()]);
    expect(() => log.tableOf("one", "ben")).toThrow("cannot be undone any more");
    expect(() => log.check("one", "t", "ben")).toThrow("belongs to another change");
    expect(log.tableOf("one", "ann")).toBe("t");
  });

  test("drops the oldest changes beyond its limits, and says when one is too large", () => {
    const log = new UndoLog(limits);
    for (const id of ["1", "2", "3", "4"]) log.add(id, "t", undefined, [step()]);
    expect(() => log.tableOf("1", undefined)).toThrow("cannot be undone any more");
    expect(log.tableOf("2", undefined)).toBe("t");
    expect(log.add("5", "t", undefined, [step({ bytes: 1_500 })])).toBe(true);
    expect(log.add("5", "t", undefined, [step({ bytes: 1_500 })])).toBe(false);
    expect(() => log.check("5", "t", undefined)).toThrow("more than");
    expect(() => log.tableOf("4", undefined)).toThrow("cannot be undone any more");
    expect(log.tableOf("5", undefined)).toBe("t");
  });
});
