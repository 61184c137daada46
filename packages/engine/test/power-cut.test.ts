import { isDynamoError } from "@tablekeep/core";
import { seededRandom } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { openEngineOn } from "../src/engine.ts";
import { MemoryStorage } from "../src/storage/memory-storage.ts";
import type { KeyRange, Storage, StorageKey } from "../src/storage/storage.ts";

type Writes = ReadonlyMap<StorageKey, string | undefined>;

/**
 * A disk with a cache that loses power: a commit is visible to readers at once, as it is with a write-back cache, and
 * survives only if it was flushed before the cut. Flushes take a random number of turns.
 */
class VolatileStorage implements Storage {
  readonly flushed: MemoryStorage;
  readonly #visible = new MemoryStorage();
  readonly #turns: () => number;
  #cut = false;
  /** Commits that are not flushed yet. */
  #underWay = 0;

  constructor(flushed: MemoryStorage, turns: () => number) {
    this.flushed = flushed;
    this.#turns = turns;
    flushed.scan({ start: "", end: "\xff\xff" }, (key, value) => {
      this.#visible.commit(new Map([[key, value]]));
      return true;
    });
  }

  get(key: StorageKey): string | undefined {
    return this.#visible.get(key);
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    this.#visible.scan(range, visit);
  }

  async commit(writes: Writes): Promise<void> {
    this.#visible.commit(writes);
    this.#underWay++;
    for (let turn = this.#turns(); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
    // After the cut nothing reaches the disk, and nobody is told anything.
    if (this.#cut) await new Promise(() => undefined);
    this.flushed.commit(writes);
    this.#underWay--;
  }

  /** Cuts the power. Gives how many commits that loses. */
  cut(): number {
    this.#cut = true;
    return this.#underWay;
  }

  checkpoint(): object {
    return this.flushed.checkpoint();
  }

  restore(): void {
    throw new Error("not in this test");
  }

  async close(): Promise<void> {}
}

const TableName = "items";
const keyOf = (id: string) => ({ id: { S: id } });

async function emptyTable(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const engine = openEngineOn(storage);
  await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
  // Not closed: that would empty the memory.
  return storage;
}

/** Writes until the power is cut. Gives the ids of which the callers were told, one way or the other, that they are there. */
async function writeUntilCut(disk: MemoryStorage, seed: number): Promise<{ told: string[]; lost: number }> {
  const random = seededRandom(seed);
  const storage = new VolatileStorage(disk, () => random.int(0, 3));
  const engine = openEngineOn(storage);
  const told: string[] = [];
  const condition = { ConditionExpression: "attribute_not_exists(id)" };
  const put = (id: string) => ({ Put: { TableName, Item: keyOf(id) } });
  let cut = false;
  const writer = async (name: number) => {
    for (let at = 0; !cut; at++) {
      const id = `${seed}-${name}-${at}`;
      switch (random.int(0, 3)) {
        case 0:
          await engine.putItem({ TableName, Item: keyOf(id) });
          told.push(id);
          break;
        case 1:
          await engine.transactWriteItems({ TransactItems: [put(`${id}a`), put(`${id}b`)] });
          told.push(`${id}a`, `${id}b`);
          break;
        case 2: {
          const requests = ["a", "b", "c"].map((part) => ({ PutRequest: { Item: keyOf(id + part) } }));
          await engine.batchWriteItem({ RequestItems: { [TableName]: requests } });
          told.push(`${id}a`, `${id}b`, `${id}c`);
          break;
        }
        default: {
          // Several writers want the same id. The loser learns that it is there, which must stay true.
          const shared = `${seed}-shared-${Math.floor(at / 2)}`;
          await engine.putItem({ TableName, Item: keyOf(shared), ...condition }).catch((error: unknown) => {
            if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
          });
          told.push(shared);
        }
      }
    }
  };
  for (let name = 0; name < 6; name++) void writer(name);
  for (let turns = random.int(1, 25); turns > 0; turns--)
    await new Promise((resolve) => setImmediate(resolve));
  const lost = storage.cut();
  cut = true;
  return { told, lost };
}

test("no acknowledged write is lost in 500 power cuts", async () => {
  let acknowledged = 0;
  let lostCommits = 0;
  for (let seed = 1; seed <= 500; seed++) {
    const disk = await emptyTable();
    const { told, lost } = await writeUntilCut(disk, seed);
    const engine = openEngineOn(disk);
    const { Items = [] } = await engine.scan({ TableName });
    const there = new Set(Items.map((item) => (item["id"] as { S: string }).S));
    expect(told.filter((id) => !there.has(id))).toEqual([]);
    // Whole transactions: one half never comes without the other.
    for (const id of there)
      if (/\d[ab]$/.test(id) && !there.has(`${id.slice(0, -1)}c`)) {
        expect(there.has(id.replace(/[ab]$/, (part) => (part === "a" ? "b" : "a")))).toBe(true);
      }
    acknowledged += told.length;
    lostCommits += lost;
  }
  expect(acknowledged).toBeGreaterThan(5_000);
  // The cuts do hit writes under way.
  expect(lostCommits).toBeGreaterThan(200);
});
