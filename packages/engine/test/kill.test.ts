import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Item } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { seededRandom } from "@tablekeep/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleChild, startChild } from "./children/start-child.ts";

const kills = 60 * Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));
const TableName = "items";
let base = "";
let script = "";

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "engine-kill-"));
  script = await bundleChild("killed-writer");
});
afterAll(async () => {
  await rm(base, { recursive: true, force: true });
  await rm(dirname(script), { recursive: true, force: true });
});

const open = (path: string) => openEngine({ storage: { kind: "folder", path } });
const idOf = (item: Item) => (item["id"] as { S: string }).S;

async function makeTable(path: string): Promise<void> {
  const engine = await open(path);
  await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: ["run", "id", "tag"].map((AttributeName) => ({
      AttributeName,
      AttributeType: "S",
    })),
    KeySchema: [
      { AttributeName: "run", KeyType: "HASH" },
      { AttributeName: "id", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "tags",
        KeySchema: [{ AttributeName: "tag", KeyType: "HASH" }],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  });
  await engine.close();
}

/**
 * Lets a child write, kills it, and returns the writes that were acknowledged. It is killed some time after its first
 * write, or, if `early`, some time after its start, possibly while it opens the folder.
 */
async function writeAndKill(
  path: string,
  run: string,
  afterMs: number,
  early: boolean,
  ...limits: readonly string[]
): Promise<string[]> {
  const child = startChild<{ ids: string[] }>(script, path, run, ...limits);
  if (!early) await child.firstLine;
  await pause(afterMs);
  child.process.kill("SIGKILL");
  await child.ended;
  return child.lines.flatMap(({ ids }) => ids);
}

async function itemsOf(engine: Engine, run: string): Promise<Item[]> {
  const items: Item[] = [];
  let startKey: Item | undefined;
  do {
    const page = await engine.query({
      TableName,
      KeyConditionExpression: "run = :run",
      ExpressionAttributeValues: { ":run": { S: run } },
      ExclusiveStartKey: startKey,
    });
    items.push(...(page.Items ?? []));
    startKey = page.LastEvaluatedKey;
  } while (startKey !== undefined);
  return items;
}

async function indexEntries(engine: Engine): Promise<Item[]> {
  const items: Item[] = [];
  let startKey: Item | undefined;
  do {
    const page = await engine.scan({ TableName, IndexName: "tags", ExclusiveStartKey: startKey });
    items.push(...(page.Items ?? []));
    startKey = page.LastEvaluatedKey;
  } while (startKey !== undefined);
  return items;
}

async function check(path: string, run: string, acknowledged: readonly string[]): Promise<void> {
  const engine = await open(path);
  const items = await itemsOf(engine, run);
  const there = new Set(items.map(idOf));
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
  for (const id of there) {
    if (id.endsWith("1of2")) expect(there).toContain(id.replace("1of2", "2of2"));
    if (id.endsWith("2of2")) expect(there).toContain(id.replace("2of2", "1of2"));
  }
  const byId = (one: Item, two: Item) => (idOf(one) < idOf(two) ? -1 : 1);
  const entries = (await indexEntries(engine)).filter((entry) => (entry["run"] as { S: string }).S === run);
  expect(entries.sort(byId)).toEqual(items.sort(byId));
  // The next run starts with an empty folder, so that the index scan stays short.
  await engine.deleteTable({ TableName });
  await engine.close();
}

test(`${kills} kills lose no acknowledged write, tear no transaction, and leave every folder fit to be opened`, async () => {
  let acknowledged = 0;
  const lane = async (number: number) => {
    const random = seededRandom(`kill ${number}`);
    const path = join(base, `lane-${number}`);
    for (let kill = 0; kill < kills / 2; kill++) {
      await makeTable(path);
      const early = kill % 5 === 4;
      const ids = await writeAndKill(
        path,
        `run-${kill}`,
        early ? random.int(60, 250) : random.int(0, 60),
        early,
        // In one lane commits wait on the event loop, every other time with a log that is often full; in the other lane they wait beside it.
        ...(number !== 1 ? ["0"] : kill % 2 === 0 ? [] : ["1e9", "20000"]),
      );
      acknowledged += ids.length;
      await check(path, `run-${kill}`, ids);
    }
  };
  await Promise.all([lane(1), lane(2)]);
  expect(acknowledged).toBeGreaterThan(kills * 10);
});
