import { describe, expect, onTestFinished, test } from "vitest";
import { type Engine, openEngineOn } from "../src/engine.ts";
import { StorageFault } from "../src/storage/storage.ts";
import { HeldDisk, SlowStorage, turns } from "./slow-storage.ts";
import { define, keySchema, tableInput } from "./tables.ts";

/*
 * A commit that does not wait on the event loop: what callers see while it is in flight, and after it failed. The disk
 * of these tests flushes when they say so.
 */

const TableName = "things";
const put = (engine: Engine, pk: string, more: object = {}) =>
  engine.putItem({ TableName, Item: { pk: { S: pk } }, ...more });
const has = async (engine: Engine, pk: string) =>
  (await engine.getItem({ TableName, Key: { pk: { S: pk } }, ConsistentRead: true })).Item !== undefined;

async function opened(): Promise<{ engine: Engine; disk: HeldDisk; storage: SlowStorage }> {
  const disk = new HeldDisk();
  const storage = new SlowStorage(disk.flush);
  const engine = openEngineOn(storage);
  const creation = engine.createTable(tableInput());
  await turns(2);
  disk.release();
  await creation;
  onTestFinished(async () => {
    const closing = engine.close();
    for (let rounds = 0; rounds < 20; rounds++) {
      await turns(2);
      if (disk.flushes > 0) disk.release();
    }
    await closing;
  });
  return { engine, disk, storage };
}

/** Notes when promises end, in order. */
function ends(): { readonly order: string[]; note(name: string, work: Promise<unknown>): Promise<void> } {
  const order: string[] = [];
  return {
    order,
    note: (name, work) =>
      work.then(
        () => void order.push(name),
        (error: { code?: string }) => void order.push(`${name}: ${error.code}`),
      ),
  };
}

describe("while a commit is in flight", () => {
  test("reads are answered from the state before it, and its write is not", async () => {
    const { engine, disk } = await opened();
    const { order, note } = ends();
    const writing = note("put", put(engine, "a"));
    await turns(2);
    expect(disk.flushes).toBe(1);
    expect(await has(engine, "a")).toBe(false);
    expect((await engine.scan({ TableName })).Count).toBe(0);
    expect(
      (
        await engine.query({
          TableName,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": { S: "a" } },
        })
      ).Count,
    ).toBe(0);
    expect((await engine.describeTable({ TableName })).Table?.TableStatus).toBe("ACTIVE");
    expect(order).toEqual([]);
    disk.release();
    await writing;
    expect(await has(engine, "a")).toBe(true);
  });

  test("further writes wait, see what it leaves, and share the next commit", async () => {
    const { engine, disk, storage } = await opened();
    const { order, note } = ends();
    const condition = { ConditionExpression: "attribute_not_exists(pk)" };
    const all = [note("first", put(engine, "a", condition))];
    await turns(2);
    all.push(note("taken", put(engine, "a", condition)));
    for (const pk of ["b", "c", "d"]) all.push(note(pk, put(engine, pk, condition)));
    const counted = engine.updateItem({
      TableName,
      Key: { pk: { S: "a" } },
      UpdateExpression: "ADD n :one",
      ExpressionAttributeValues: { ":one": { N: "1" } },
      ReturnValues: "ALL_OLD",
    });
    await turns(5);
    expect([storage.commits.length, order]).toEqual([2, []]);
    disk.release();
    await turns(3);
    // What made the condition fail is durable, so that its caller is notified at once.
    expect(order).toEqual(["first", "taken: DYNAMO_CONDITIONAL_CHECK_FAILED"]);
    expect(disk.flushes).toBe(1);
    disk.release();
    await Promise.all(all);
    expect((await counted).Attributes).toEqual({ pk: { S: "a" } });
    expect(order).toEqual(["first", "taken: DYNAMO_CONDITIONAL_CHECK_FAILED", "b", "c", "d"]);
    expect(storage.commits.length).toBe(3);
  });

  test("a write to a table that it deletes or changes sees the table as it leaves it", async () => {
    const { engine, disk } = await opened();
    const { order, note } = ends();
    const deleting = note("deleted", engine.deleteTable({ TableName }));
    await turns(2);
    const late = note("put", put(engine, "a"));
    disk.release();
    await Promise.all([deleting, late]);
    expect(order).toEqual(["deleted", "put: DYNAMO_RESOURCE_NOT_FOUND"]);
  });

  test("writes that wait while it adds an index are in the index", async () => {
    const { engine, disk } = await opened();
    const changing = engine.updateTable({
      TableName,
      AttributeDefinitions: define("pk", "tag"),
      GlobalSecondaryIndexUpdates: [
        {
          Create: { IndexName: "tags", KeySchema: keySchema("tag"), Projection: { ProjectionType: "ALL" } },
        },
      ],
    });
    await turns(2);
    const tagged = engine.putItem({ TableName, Item: { pk: { S: "a" }, tag: { S: "t" } } });
    const isActive = async () => {
      const { Table } = await engine.describeTable({ TableName });
      return Table?.GlobalSecondaryIndexes?.[0]?.IndexStatus === "ACTIVE";
    };
    for (let rounds = 0; rounds < 200 && !(await isActive()); rounds++) {
      if (disk.flushes > 0) disk.release();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all([changing, tagged]);
    expect((await engine.scan({ TableName, IndexName: "tags" })).Items).toEqual([
      { pk: { S: "a" }, tag: { S: "t" } },
    ]);
  });

  test("a call ends at its deadline; a write that waits is applied later and reported as unknown", async () => {
    const { engine, disk } = await opened();
    const first = put(engine, "a");
    await turns(2);
    const stop = new AbortController();
    const waiting = engine.putItem({ TableName, Item: { pk: { S: "b" } } }, { signal: stop.signal });
    await turns(1);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "ENGINE_ABORTED", ambiguous: true });
    disk.release();
    await first;
    await turns(3);
    disk.release();
    await turns(2);
    expect(await has(engine, "b")).toBe(true);
  });

  test("closing, checkpoints and restoring wait for it", async () => {
    const { engine, disk } = await opened();
    const checkpoint = await engine.checkpoint();
    const { order, note } = ends();
    const writing = note("put", put(engine, "a"));
    await turns(2);
    const restoring = note("restored", engine.restore(checkpoint));
    await turns(5);
    expect(order).toEqual([]);
    disk.release();
    await Promise.all([writing, restoring]);
    expect(order).toEqual(["put", "restored"]);
    expect(await has(engine, "a")).toBe(false);
    const again = note("again", put(engine, "b"));
    await turns(2);
    const closing = note("closed", engine.close());
    await turns(5);
    disk.release();
    await Promise.all([again, closing]);
    expect(order.slice(2)).toEqual(["again", "closed"]);
  });
});

describe("a commit that fails in flight", () => {
  test.each([
    ["full", "ENGINE_DISK_FULL"],
    ["failed", "ENGINE_DISK_FAILED"],
  ] as const)("with a disk that is %s rejects its own writes only", async (reason, code) => {
    const { engine, disk } = await opened();
    const { order, note } = ends();
    const all = [note("a", put(engine, "a")), note("b", put(engine, "b"))];
    await turns(2);
    all.push(note("c", put(engine, "c", { ConditionExpression: "attribute_not_exists(pk)" })));
    disk.release(new StorageFault(reason, "on demand"));
    await turns(3);
    expect(order).toEqual([`a: ${code}`, `b: ${code}`]);
    disk.release();
    await Promise.all(all);
    expect(order).toEqual([`a: ${code}`, `b: ${code}`, "c"]);
    expect([await has(engine, "a"), await has(engine, "c")]).toEqual([false, true]);
  });
});
