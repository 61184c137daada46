import type { Item } from "@tablekeep/core";
import { unwrap } from "@tablekeep/journal";
import { seededRandom } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { defineProjection, type ProjectionTransaction } from "../../src/projections/index.ts";
import { caughtUp, feedSome, newProjectionWorld, type ProjectionWorld, running } from "./projection-world.ts";

interface Change {
  readonly kind: "put" | "set" | "add" | "addToSet" | "remove" | "delete" | "copy" | "check" | "raw";
  readonly key: string;
  readonly value: number;
}

/** One change to an item, by all kinds of actions. */
async function change(
  world: ProjectionWorld,
  { kind, key, value }: Change,
  tx: ProjectionTransaction,
): Promise<void> {
  const table = world.modelTable;
  const Key = { id: { S: `${key}@${tx.version}` } };
  const number = { N: String(value) };
  if (kind === "put") tx.put(table, { ...Key, n: number });
  else if (kind === "set") tx.update(table, Key, { set: { n: number, [`a${value % 3}`]: number } });
  else if (kind === "add") tx.update(table, Key, { add: { n: number } });
  else if (kind === "addToSet") tx.update(table, Key, { add: { s: { SS: [String(value % 4)] } } });
  else if (kind === "remove") tx.update(table, Key, { remove: ["n", "a1"] });
  else if (kind === "delete") tx.delete(table, Key);
  else if (kind === "check") tx.check(table, Key, { expression: "attribute_not_exists(never)" });
  else if (kind === "raw")
    tx.action({
      Update: {
        TableName: table,
        Key,
        UpdateExpression: "SET r = if_not_exists(r, :zero) + :value",
        ExpressionAttributeValues: { ":zero": { N: "0" }, ":value": number },
      },
    });
  else {
    const before = await tx.get(table, Key);
    tx.put(table, { ...before, ...Key, copies: { N: String(Number(before?.["copies"]?.N ?? 0) + 1) } });
  }
}

async function itemsOf({ port, modelTable }: ProjectionWorld, version: number): Promise<Item[]> {
  const { Items = [] } = await port.scan({ TableName: modelTable, ConsistentRead: true });
  return Items.filter(({ id }) => id?.S?.endsWith(`@${version}`) === true)
    .map((item) => ({ ...item, id: { S: item["id"]?.S?.split("@")[0] ?? "" } }))
    .map(
      (item) => ({ ...item, ...("s" in item && { s: { SS: (item as Item)["s"]?.SS?.toSorted() } }) }) as Item,
    )
    .toSorted((one, other) => ((one["id"]?.S ?? "") < (other["id"]?.S ?? "") ? -1 : 1));
}

test.each([1, 2, 3])("a group has the effect of its events one by one (seed %i)", async (seed) => {
  const world = await newProjectionWorld();
  const random = seededRandom(seed);
  const kinds = ["put", "set", "add", "add", "addToSet", "remove", "delete", "copy", "check", "raw"] as const;
  const events = Array.from({ length: 150 }, () => ({
    payload: Array.from({ length: random.int(1, 3) }, (_unused, at): Change => {
      // The second change to an item by one event must not need the first one.
      const kind = kinds[random.int(0, at === 0 ? kinds.length - 1 : 6)] ?? "put";
      return { kind, key: `${at}${random.int(0, 3)}`, value: random.int(1, 20) };
    }),
  }));
  for (const event of events) unwrap(await world.journal.append("one", event));
  await feedSome(world, 0);
  const projection = (version: number, groupSize: number) =>
    defineProjection<Change[]>({
      name: "changes",
      version,
      groupSize,
      handle: async ({ payload }, tx) => {
        for (const each of payload) await change(world, each, tx);
      },
    });
  await using _run = await running(world, [projection(1, 1), projection(2, 100)]);
  await caughtUp(world, "changes", 1);
  await caughtUp(world, "changes", 2);
  const alone = await itemsOf(world, 1);
  expect(alone.length).toBeGreaterThan(3);
  expect(await itemsOf(world, 2)).toEqual(alone);
});

test("an item that another changes after it was read is read again", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  let others = 0;
  const total = defineProjection({
    name: "total",
    groupSize: 2,
    handle: async (_event, tx) => {
      const Key = { id: { S: "total" } };
      const before = await tx.get(world.modelTable, Key);
      const add = async () => {
        const n = { ":n": { N: "1000" } };
        await world.port.updateItem({
          TableName: world.modelTable,
          Key,
          UpdateExpression: "ADD n :n",
          ExpressionAttributeValues: n,
        });
      };
      if (others < 3) {
        others++;
        await add();
      }
      tx.put(world.modelTable, { ...before, ...Key, n: { N: String(Number(before?.["n"]?.N ?? 0) + 1) } });
    },
  });
  await using _run = await running(world, [total]);
  await caughtUp(world, "total");
  const { Item } = await world.port.getItem({ TableName: world.modelTable, Key: { id: { S: "total" } } });
  const events = [...world.appended.values()].reduce((sum, count) => sum + count, 0);
  expect(Item?.["n"]).toEqual({ N: String(3000 + events) });
});

test("a condition that fails stops at its event, and the events before it are applied", async () => {
  const world = await newProjectionWorld();
  for (let at = 0; at < 9; at++) unwrap(await world.journal.append("one", { payload: at }));
  await feedSome(world, 0);
  const checked = defineProjection<number>({
    name: "checked",
    retry: { attempts: 2, backoffMs: 1 },
    handle: ({ payload }, tx) => {
      const condition = payload === 5 ? { condition: { expression: "attribute_exists(never)" } } : {};
      tx.put(world.modelTable, { id: { S: String(payload) } }, condition);
    },
  });
  await using _run = await running(world, [checked]);
  await expect.poll(async () => (await world.control.status("checked")).state).toBe("stopped");
  const { slices } = await world.control.status("checked");
  expect(slices.find(({ failed }) => failed !== undefined)?.failed).toMatchObject({ sequenceNr: 6 });
  const { Items = [] } = await world.port.scan({ TableName: world.modelTable });
  expect(Items.map(({ id }) => id?.S).toSorted()).toEqual(["0", "1", "2", "3", "4"]);
});
