import { ensureTable } from "@tablekeep/client";
import { expect, test } from "vitest";
import {
  defineProjection,
  type ProjectionDefinition,
  type ProjectionTransaction,
} from "../../src/projections/index.ts";
import { caughtUp, feedSome, newProjectionWorld, type ProjectionWorld, running } from "./projection-world.ts";

const key = { id: { S: "a" } };

function putMany(tx: ProjectionTransaction, count: number, more: { b?: { S: string } } = {}): void {
  for (let at = 0; at < count; at++) tx.put("model", { id: { S: String(at) }, ...more });
}

/** Handlers that cannot work, by the beginning of the error that is stored. */
const wrong: readonly (readonly [string, string, (tx: ProjectionTransaction) => unknown])[] = [
  ["more than 98 actions", "PROJECTION_EVENT_TOO_LARGE: ", (tx) => putMany(tx, 99)],
  [
    "more than 4 MB",
    "PROJECTION_EVENT_TOO_LARGE: ",
    (tx) => putMany(tx, 11, { b: { S: "x".repeat(390_000) } }),
  ],
  [
    "an item of more than 400 KB",
    "PROJECTION_ACTION_REJECTED: ",
    (tx) => tx.put("model", { ...key, b: { S: "x".repeat(410_000) } }),
  ],
  [
    "a condition that does not hold",
    "PROJECTION_ACTION_REJECTED: ",
    (tx) => tx.put("model", key, { condition: { expression: "attribute_exists(id)" } }),
  ],
  [
    "a key of another table",
    "PROJECTION_ACTION_REJECTED: ",
    (tx) => tx.update("model", { other: { S: "a" } }, { set: { n: { N: "1" } } }),
  ],
  [
    "an update of a missing table",
    "PROJECTION_ACTION_REJECTED: ",
    (tx) => tx.update("none", key, { set: key }),
  ],
  ["a put into a missing table", "DYNAMO_RESOURCE_NOT_FOUND: ", (tx) => tx.put("none", key)],
  [
    "a write to the journal's table",
    "PROJECTION_OPTION_INVALID: option table ",
    (tx) => tx.put("events", { par: { S: "x" }, num: { N: "1" } }),
  ],
  [
    "a write to the journal's table by its ARN",
    "PROJECTION_OPTION_INVALID: option table ",
    (tx) =>
      tx.action({
        Delete: {
          TableName: "arn:aws:dynamodb:eu-west-1:000000000000:table/events",
          Key: { par: { S: "x" } },
        },
      }),
  ],
  [
    "a write to the table of projections",
    "PROJECTION_OPTION_INVALID: option table ",
    (tx) => tx.delete("projections", { projection: { S: "wrong#1" }, item: { S: "projection" } }),
  ],
  [
    "a key whose value is missing",
    "PROJECTION_OPTION_INVALID: option key ",
    (tx) => tx.delete("model", { id: undefined } as never),
  ],
  [
    "a key that is not in DynamoDB's form",
    "PROJECTION_OPTION_INVALID: option key ",
    (tx) => tx.delete("model", { id: "a" } as never),
  ],
  [
    "an item that is not in DynamoDB's form",
    "PROJECTION_OPTION_INVALID: option item ",
    (tx) => tx.put("model", { id: "a" } as never),
  ],
  ["an empty action", "PROJECTION_OPTION_INVALID: option action ", (tx) => tx.action({})],
  [
    "an action of two kinds",
    "PROJECTION_OPTION_INVALID: option action ",
    (tx) => tx.action({ Put: { TableName: "model", Item: key }, Delete: { TableName: "model", Key: key } }),
  ],
  ["a handler that never settles", "PROJECTION_HANDLER_TIMEOUT: ", () => new Promise(() => {})],
  [
    "a generator",
    "PROJECTION_OPTION_INVALID: option handle ",
    async function* (tx) {
      tx.put("model", key);
      yield key;
    },
  ],
  ["a function that returns another one", "PROJECTION_OPTION_INVALID: option handle ", () => () => key],
];

/** Runs a handler on one event that fails, and returns the error. */
async function errorOf(
  world: ProjectionWorld,
  handle: (tx: ProjectionTransaction) => unknown,
  changes: Partial<ProjectionDefinition> = {},
): Promise<string> {
  await feedSome(world, 1);
  const projection = defineProjection({
    name: "wrong",
    retry: { attempts: 1 },
    handlerDeadlineMs: 100,
    ...(changes as object),
    handle: (_event, tx) => handle(tx as ProjectionTransaction) as Promise<void>,
  });
  await using _run = await running(world, [projection]);
  const failed = async () => (await world.control.status("wrong")).slices.find((each) => each.failed);
  await expect.poll(failed).toBeDefined();
  return (await failed())?.failed?.error ?? "";
}

test.each(wrong)("%s: stops the slice with %s", async (_what, error, handle) => {
  const world = await newProjectionWorld();
  expect(await errorOf(world, handle)).toMatch(new RegExp(`^${error}`));
  expect((await world.port.scan({ TableName: world.modelTable })).Count).toBe(0);
  // What controls projections is as it was.
  expect(await world.control.status("wrong")).toMatchObject({ state: "stopped", current: 1 });
});

test.each(["at-least-once", "external"] as const)("a generator stops the slice in mode %s", async (mode) => {
  const world = await newProjectionWorld();
  const loadPosition = async () => undefined;
  const changes = { mode, ...(mode === "external" && { loadPosition }) };
  const generator = async function* () {
    yield 1;
  };
  expect(await errorOf(world, generator, changes as never)).toMatch(/^PROJECTION_OPTION_INVALID/);
});

test("names the table whose item has two actions, and the one whose action is rejected", async () => {
  const world = await newProjectionWorld();
  await ensureTable(world.port, { name: "other", partitionKey: { name: "id", type: "S" } });
  const overlap = (tx: ProjectionTransaction) => {
    tx.put("other", key);
    tx.put("model", key);
    tx.delete("model", key, { condition: { expression: "attribute_exists(id)" } });
  };
  expect(await errorOf(world, overlap)).toMatch(/^PROJECTION_ACTIONS_OVERLAP: .*table model/);
  const rejected = (tx: ProjectionTransaction) => {
    tx.put("other", key);
    tx.check("model", key, { expression: "attribute_exists(id)" });
  };
  const second = await newProjectionWorld();
  await ensureTable(second.port, { name: "other", partitionKey: { name: "id", type: "S" } });
  expect(await errorOf(second, rejected)).toMatch(/^PROJECTION_ACTION_REJECTED: .*table model/);
});

test("an event that is parked has as many actions as one that is not", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 1, 1);
  let isBad = true;
  const projection = defineProjection({
    name: "many",
    onPoison: "park",
    retry: { attempts: 1 },
    handle: ({ sequenceNr }, tx) => {
      if (isBad) throw new Error("bad");
      for (let at = 0; at < 98; at++) tx.put("model", { id: { S: `${sequenceNr}-${at}` } });
      // On the same items: not counted again.
      for (let at = 0; at < 98; at++)
        tx.update("model", { id: { S: `${sequenceNr}-${at}` } }, { add: { n: { N: "1" } } });
    },
  });
  await using _run = await running(world, [projection]);
  await caughtUp(world, "many");
  isBad = false;
  await world.control.retryParked("many");
  await expect.poll(async () => (await world.control.status("many")).parked).toBe(0);
  expect((await world.port.scan({ TableName: "model" })).Count).toBe(2 * 98);
});

test("a check may be on the journal's table, and other return values do not matter", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 1);
  const projection = defineProjection({
    name: "fine",
    handle: (_event, tx) => {
      tx.check(
        "events",
        { par: { S: "none" }, num: { N: "1" } },
        { expression: "attribute_not_exists(par)" },
      );
      tx.put("model", key);
      return [1, 2] as never;
    },
  });
  await using _run = await running(world, [projection]);
  await caughtUp(world, "fine");
  expect((await world.port.scan({ TableName: "model" })).Count).toBe(1);
});

test("external mode needs a function that loads positions", () => {
  const definition = {
    name: "x",
    mode: "external" as const,
    handle: () => {},
    loadPosition: undefined as never,
  };
  expect(() => defineProjection(definition)).toThrow(
    expect.objectContaining({
      code: "PROJECTION_OPTION_INVALID",
      details: expect.objectContaining({ option: "loadPosition" }),
    }),
  );
});
