import { expect, test } from "vitest";
import { defineProjection, type ProjectionTransaction } from "../../src/projections/index.ts";
import { feedSome, newProjectionWorld, running } from "./projection-world.ts";

const key = { id: { S: "a" } };

/** Calls with a wrong argument, by the name that the error has for it. Types reject each of them where they see it. */
const wrong: readonly (readonly [string, string, (tx: ProjectionTransaction) => unknown])[] = [
  [
    "an update in DynamoDB's form",
    "table",
    (tx) => tx.update({ TableName: "model", Key: key } as never, key, {}),
  ],
  ["an update without changes", "changes", (tx) => tx.update("model", key, undefined as never)],
  ["an unknown change", "changes.SET", (tx) => tx.update("model", key, { SET: {} } as never)],
  [
    "attributes in place of changes",
    "changes.n",
    (tx) => tx.update("model", key, { n: { N: "1" } } as never),
  ],
  ["a value that is not an item", "changes.add", (tx) => tx.update("model", key, { add: 1 as never })],
  ["names that are not a list", "changes.remove", (tx) => tx.update("model", key, { remove: "n" as never })],
  ["an update without a key", "key", (tx) => tx.update("model", undefined as never, { set: {} })],
  ["a put without an item", "item", (tx) => tx.put("model", undefined as never)],
  ["a put with an unknown option", "if", (tx) => tx.put("model", key, { if: "x" } as never)],
  ["a condition that is a string", "condition", (tx) => tx.delete("model", key, { condition: "x" as never })],
  ["a check without a condition", "condition", (tx) => tx.check("model", key, undefined as never)],
  ["no action", "action", (tx) => tx.action(undefined as never)],
  ["a read without a key", "key", (tx) => tx.get("model", undefined as never)],
];

test.each(wrong)("%s fails the event, and names %s", async (_what, option, call) => {
  const world = await newProjectionWorld();
  await feedSome(world, 1);
  const projection = defineProjection({
    name: "wrong",
    retry: { attempts: 1 },
    handle: async (_event, tx) => void (await call(tx)),
  });
  await using _run = await running(world, [projection]);
  const errorOf = async () => {
    const { slices } = await world.control.status("wrong");
    return slices.find(({ failed }) => failed !== undefined)?.failed?.error;
  };
  await expect.poll(errorOf).toContain(`PROJECTION_OPTION_INVALID: option ${option} `);
  expect((await world.port.scan({ TableName: world.modelTable })).Count).toBe(0);
});

test("a transaction cannot be used after its handler has returned", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 1);
  const kept: ProjectionTransaction[] = [];
  const projection = defineProjection({ name: "late", handle: (_event, tx) => void kept.push(tx) });
  await using _run = await running(world, [projection]);
  await expect.poll(async () => (await world.control.status("late")).lagEvents).toBe(0);
  const [tx] = kept;
  const ended = expect.objectContaining({ code: "PROJECTION_TRANSACTION_ENDED", details: { name: "late" } });
  expect(() => tx?.put("model", key)).toThrow(ended);
  await expect(tx?.get("model", key)).rejects.toEqual(ended);
  expect((await world.port.scan({ TableName: world.modelTable })).Count).toBe(0);
});
