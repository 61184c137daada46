import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { until } from "../../test/tables.ts";
import { openEngineOn } from "../engine.ts";
import { diskError, isDiskFull, readError, toEngineError } from "./disk-error.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { type KeyRange, type Storage, StorageFault, type StorageKey } from "./storage.ts";

const withCode = (code: unknown) => Object.assign(new Error("it failed"), { code });

describe("a disk error", () => {
  test.each(["ENOSPC", "EDQUOT", 28, 122, -30792])("with code %s means a full disk", (code) => {
    expect(isDiskFull(withCode(code), tmpdir())).toBe(true);
    expect(diskError(withCode(code), tmpdir())).toMatchObject({ code: "ENGINE_DISK_FULL", ambiguous: false });
  });

  test.each(["EIO", 5])("with code %s means a full disk only if little space is free", (code) => {
    expect(isDiskFull(withCode(code), tmpdir())).toBe(false);
    expect(isDiskFull(withCode(code), tmpdir(), 2 ** 60)).toBe(true);
    expect(diskError(withCode(code), tmpdir())).toMatchObject({
      code: "ENGINE_DISK_FAILED",
      ambiguous: true,
    });
    expect(isDiskFull(withCode(code), "/nowhere/at/all", 2 ** 60)).toBe(false);
  });

  test.each([-30797, -30796, -30795, -30793])("with LMDB's code %s means a damaged file", (code) => {
    expect(diskError(withCode(code), tmpdir())).toMatchObject({ code: "ENGINE_DISK_FAILED" });
    expect(readError(withCode(code), tmpdir())).toMatchObject({
      code: "ENGINE_DISK_FAILED",
      ambiguous: false,
    });
  });

  test("is distinguished from every other error", () => {
    for (const error of [withCode("EACCES"), new TypeError("x"), undefined, "ENOSPC"]) {
      expect(diskError(error, tmpdir())).toBeUndefined();
    }
  });

  test("of an unknown kind is ambiguous", () => {
    expect(toEngineError(new Error("odd"), "/data")).toMatchObject({
      code: "ENGINE_DISK_FAILED",
      ambiguous: true,
      retryable: true,
      details: { path: "/data" },
    });
  });
});

/** A storage that fails on demand, before or after it has applied the commit. */
class FailingStorage implements Storage {
  readonly #inner = new MemoryStorage();
  fault: { readonly reason: "full" | "failed"; readonly applied: boolean } | undefined;

  get(key: StorageKey): string | undefined {
    return this.#inner.get(key);
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    this.#inner.scan(range, visit);
  }

  commit(writes: ReadonlyMap<StorageKey, string | undefined>): void {
    if (this.fault === undefined || this.fault.applied) this.#inner.commit(writes);
    if (this.fault !== undefined) throw new StorageFault(this.fault.reason, "on demand");
  }

  checkpoint(): object {
    return this.#inner.checkpoint();
  }

  restore(checkpoint: ReturnType<MemoryStorage["checkpoint"]>): void {
    if (this.fault === undefined || this.fault.applied) this.#inner.restore(checkpoint);
    if (this.fault !== undefined) throw new StorageFault(this.fault.reason, "on demand");
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

const table = (TableName: string) =>
  ({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  }) as const;

describe("an engine whose storage fails", () => {
  const put = (engine: ReturnType<typeof openEngineOn>, id: string) =>
    engine.putItem({ TableName: "items", Item: { id: { S: id } } });
  const has = async (engine: ReturnType<typeof openEngineOn>, id: string) =>
    (await engine.getItem({ TableName: "items", Key: { id: { S: id } } })).Item !== undefined;

  test.each([
    [
      { reason: "full", applied: false },
      { code: "ENGINE_DISK_FULL", ambiguous: false },
    ],
    [
      { reason: "failed", applied: false },
      { code: "ENGINE_DISK_FAILED", ambiguous: true },
    ],
    [
      { reason: "failed", applied: true },
      { code: "ENGINE_DISK_FAILED", ambiguous: true },
    ],
  ] as const)(
    "with %j rejects writes, still reads, and recovers when it works again",
    async (fault, error) => {
      const storage = new FailingStorage();
      const engine = openEngineOn(storage);
      await engine.createTable(table("items") as never);
      await put(engine, "before");
      storage.fault = fault;
      const results = await Promise.allSettled([put(engine, "one"), put(engine, "two")]);
      for (const result of results) expect(result).toMatchObject({ status: "rejected", reason: error });
      expect([await has(engine, "before"), await has(engine, "one")]).toEqual([true, fault.applied]);
      await expect(engine.createTable(table("others") as never)).rejects.toMatchObject(error);
      const { TableNames } = await engine.listTables({});
      expect(TableNames).toEqual(fault.applied ? ["items", "others"] : ["items"]);
      storage.fault = undefined;
      await put(engine, "after");
      expect(await has(engine, "after")).toBe(true);
      await engine.close();
    },
  );

  test("that stored a job carries it out", async () => {
    const storage = new FailingStorage();
    const engine = openEngineOn(storage);
    await engine.createTable(table("items") as never);
    await put(engine, "before");
    storage.fault = { reason: "failed", applied: true };
    const Create = {
      IndexName: "new",
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" as const }],
      Projection: { ProjectionType: "ALL" as const },
    };
    const change = engine.updateTable({
      TableName: "items",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      GlobalSecondaryIndexUpdates: [{ Create }],
    });
    await expect(change).rejects.toMatchObject({ ambiguous: true });
    storage.fault = undefined;
    await until("the index is filled", async () => {
      const { Table } = await engine.describeTable({ TableName: "items" });
      return Table?.GlobalSecondaryIndexes?.[0]?.IndexStatus === "ACTIVE";
    });
    await engine.close();
  });

  test.each([true, false])(
    "in the middle of a restore serves the tables that are stored (applied: %s)",
    async (applied) => {
      const storage = new FailingStorage();
      const engine = openEngineOn(storage);
      await engine.createTable(table("items") as never);
      const checkpoint = await engine.checkpoint();
      await engine.createTable(table("others") as never);
      storage.fault = { reason: "failed", applied };
      await expect(engine.restore(checkpoint)).rejects.toMatchObject({
        code: "ENGINE_DISK_FAILED",
        ambiguous: true,
      });
      storage.fault = undefined;
      expect((await engine.listTables({})).TableNames).toEqual(applied ? ["items"] : ["items", "others"]);
      await engine.restore(checkpoint);
      expect((await engine.listTables({})).TableNames).toEqual(["items"]);
      await engine.close();
    },
  );

  test("rejects a write whose condition depends on a failed one", async () => {
    const storage = new FailingStorage();
    const engine = openEngineOn(storage);
    await engine.createTable(table("items") as never);
    storage.fault = { reason: "full", applied: false };
    const conditional = () =>
      engine.putItem({
        TableName: "items",
        Item: { id: { S: "x" } },
        ConditionExpression: "attribute_not_exists(id)",
      });
    const results = await Promise.allSettled([conditional(), conditional()]);
    for (const result of results) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "ENGINE_DISK_FULL" } });
    }
    storage.fault = undefined;
    await conditional();
    await engine.close();
  });
});
