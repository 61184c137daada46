import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Item, isDynamoError } from "@tablekeep/core";
import { type Engine, openEngine, type StorageChoice } from "@tablekeep/engine";
import { type SeededRandom, seededRandom } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const TableName = "registers";
let base = "";
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "engine-concurrent-"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

const storages: Record<string, () => StorageChoice> = {
  memory: () => ({ kind: "memory" }),
  "a folder": () => ({ kind: "folder", path: join(base, "folder") }),
};

async function opened(storage: StorageChoice): Promise<Engine> {
  const engine = await openEngine({ storage });
  await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
  return engine;
}

const keyOf = (id: string) => ({ id: { S: id } });

const numberIn = (item: Item | undefined, name: string) =>
  Number((item?.[name] as { N: string } | undefined)?.N);

interface Read {
  readonly value: number;
  readonly begun: number;
  readonly ended: number;
}

interface Write extends Read {
  readonly from: number;
}

/**
 * A register that only a write with its current value may replace. Its values then form a chain, and the history is
 * linearizable if each value has one successor and no operation sees the chain run backwards in time.
 */
async function runRegister(engine: Engine, id: string, random: SeededRandom): Promise<void> {
  const writes: Write[] = [];
  const reads: Read[] = [];
  let time = 0;
  let nextValue = 1;
  await engine.putItem({ TableName, Item: { ...keyOf(id), value: { N: "0" } } });

  const read = async (): Promise<number> => {
    const begun = ++time;
    const { Item } = await engine.getItem({ TableName, Key: keyOf(id), ConsistentRead: true });
    const value = numberIn(Item, "value");
    reads.push({ value, begun, ended: ++time });
    return value;
  };
  const replace = async (from: number): Promise<void> => {
    const [value, begun] = [nextValue++, ++time];
    const condition = {
      ConditionExpression: "#v = :from",
      ExpressionAttributeNames: { "#v": "value" },
      ExpressionAttributeValues: { ":from": { N: String(from) } },
    };
    const Item = { ...keyOf(id), value: { N: String(value) } };
    try {
      if (random.chance(0.3))
        await engine.transactWriteItems({ TransactItems: [{ Put: { TableName, Item, ...condition } }] });
      else await engine.putItem({ TableName, Item, ...condition });
      writes.push({ from, value, begun, ended: ++time });
    } catch (error) {
      const rejected =
        isDynamoError(error, "ConditionalCheckFailedException") ||
        isDynamoError(error, "TransactionCanceledException");
      if (!rejected) throw error;
    }
  };
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 25; round++) {
        const value = await read();
        for (let turns = random.int(0, 2); turns > 0; turns--)
          await new Promise((resolve) => setImmediate(resolve));
        await replace(value);
      }
    }),
  );
  checkChain(writes, reads);
}

function checkChain(writes: readonly Write[], reads: readonly Read[]): void {
  const successor = new Map(writes.map((write) => [write.from, write]));
  expect(successor.size).toBe(writes.length);
  const place = new Map([[0, 0]]);
  const chain: Write[] = [];
  for (let write = successor.get(0); write !== undefined; write = successor.get(write.value)) {
    chain.push(write);
    place.set(write.value, chain.length);
  }
  // No acknowledged write is missing from the chain, and none took effect before one that had ended when it began.
  expect(chain).toHaveLength(writes.length);
  let latestBegun = 0;
  const early = chain.filter(({ begun, ended }) => {
    const before = latestBegun;
    latestBegun = Math.max(latestBegun, begun);
    return ended <= before;
  });
  expect(early).toEqual([]);
  const wrong = reads.filter(({ value, begun, ended }) => {
    const at = place.get(value) ?? -1;
    const mustSee = chain.findLastIndex((write) => write.ended < begun) + 1;
    return at < mustSee || (chain[at - 1]?.begun ?? 0) > ended;
  });
  expect(wrong).toEqual([]);
}

describe.each(Object.entries(storages))("concurrent writers in %s", (_kind, storage) => {
  test("are linearizable on each item", async () => {
    const engine = await opened(storage());
    for (let seed = 1; seed <= 5; seed++) {
      const random = seededRandom(seed);
      await Promise.all(
        ["a", "b", "c"].map((name) => runRegister(engine, `${seed}-${name}`, random.fork(name))),
      );
    }
    await engine.close();
  });

  test("create an item once, and lose nothing when moving amounts between two items", async () => {
    const choice = storage();
    const engine = await openEngine({
      storage: choice.kind === "memory" ? choice : { ...choice, path: join(base, "accounts") },
    });
    await engine.createTable({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    });
    const accounts = ["a", "b", "c", "d"];
    const create = (id: string) =>
      engine
        .putItem({
          TableName,
          Item: { ...keyOf(id), sum: { N: "100" } },
          ConditionExpression: "attribute_not_exists(id)",
        })
        .then(
          () => 1,
          () => 0,
        );
    const created = await Promise.all(accounts.flatMap((id) => Array.from({ length: 10 }, () => create(id))));
    expect(created.reduce((total, each) => total + each, 0)).toBe(accounts.length);
    const random = seededRandom("accounts");
    const change = (id: string, amount: number) => ({
      Update: {
        TableName,
        Key: keyOf(id),
        UpdateExpression: "ADD #s :n",
        ConditionExpression: "#s >= :least",
        ExpressionAttributeNames: { "#s": "sum" },
        ExpressionAttributeValues: {
          ":n": { N: String(amount) },
          ":least": { N: String(Math.max(0, -amount)) },
        },
      },
    });
    const sums = async () => {
      const TransactItems = accounts.map((id) => ({ Get: { TableName, Key: keyOf(id) } }));
      const { Responses = [] } = await engine.transactGetItems({ TransactItems });
      return Responses.map(({ Item }) => numberIn(Item, "sum"));
    };
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const [from, to] = random.shuffle(accounts) as [string, string];
        const amount = random.int(1, 60);
        await engine
          .transactWriteItems({ TransactItems: [change(from, -amount), change(to, amount)] })
          .catch(() => undefined);
        const seen = await sums();
        expect(seen.reduce((total, each) => total + each, 0)).toBe(400);
        expect(Math.min(...seen)).toBeGreaterThanOrEqual(0);
      }),
    );
    await engine.close();
  });
});
