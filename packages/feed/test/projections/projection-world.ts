import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { expect } from "vitest";
import {
  openProjections,
  type Projection,
  type Projections,
  projectionTableSpec,
  type RunningProjections,
  type RunProjectionsOptions,
  runProjections,
} from "../../src/projections/index.ts";
import { appendSome, type FeedWorld, feedOf, newWorld } from "../feed-world.ts";
import { type ListChanges, listsInto } from "./list-projection.ts";

/** A journal with a feed, the table of projections, and a table of read models. */
export interface ProjectionWorld extends FeedWorld {
  readonly projectionTable: string;
  readonly modelTable: string;
  readonly control: Projections;
}

/** Creates the tables on a port, by default an engine in memory, with some events in the feed. */
export async function newProjectionWorld(port?: DynamoPort, suffix = ""): Promise<ProjectionWorld> {
  const own = port ?? (await openEngine({ storage: { kind: "memory" } }));
  const world = await newWorld(own, { table: `events${suffix}` });
  const projectionTable = `projections${suffix}`;
  const modelTable = `model${suffix}`;
  await ensureTable(own, projectionTableSpec(projectionTable));
  await ensureTable(own, { name: modelTable, partitionKey: { name: "id", type: "S" } });
  const control = await openProjections(own, { table: projectionTable, feed: { journal: world.options } });
  return { ...world, projectionTable, modelTable, control };
}

/** Appends events to some ids and brings them into the feed. */
export async function feedSome(world: ProjectionWorld, ids: number, offset = 0): Promise<void> {
  await appendSome(world, ids, offset);
  await (await feedOf(world)).catchUp();
}

/** The read model of the world: see {@link listsInto}. */
export function listProjection({ modelTable }: ProjectionWorld, changes: ListChanges = {}): Projection {
  return listsInto(modelTable, changes);
}

/** Returns the lists of a version of the read model. */
export async function listsOf(world: ProjectionWorld, version = 1): Promise<Map<string, number[]>> {
  const { Items = [] } = await world.port.scan({ TableName: world.modelTable, ConsistentRead: true });
  const found = new Map<string, number[]>();
  for (const { id, list } of Items) {
    const [name = "", of] = (id?.S ?? "").split("@");
    if (Number(of) === version && list?.L !== undefined)
      found.set(
        name,
        list.L.map(({ N }) => Number(N)),
      );
  }
  return found;
}

/** Returns how many events the version of the read model has counted. */
export async function countOf({ port, modelTable }: ProjectionWorld, version = 1): Promise<number> {
  const Key = { id: { S: `all@${version}` } };
  const { Item } = await port.getItem({ TableName: modelTable, Key, ConsistentRead: true });
  return Number(Item?.["events"]?.N ?? 0);
}

/** Checks that every event of the journal was applied once, those of an id in order. */
export async function expectAllApplied(world: ProjectionWorld, version = 1): Promise<void> {
  const expected = new Map(
    [...world.appended].map(([id, count]) => [id, Array.from({ length: count }, (_unused, at) => at + 1)]),
  );
  expect(await listsOf(world, version)).toEqual(expected);
  expect(await countOf(world, version)).toBe(
    [...world.appended.values()].reduce((sum, count) => sum + count, 0),
  );
}

/** Runs projections without a sequencer. */
export function running(
  world: ProjectionWorld,
  projections: readonly Projection[],
  { port = world.port, ...options }: RunProjectionsOptions & { port?: DynamoPort } = {},
): Promise<RunningProjections> {
  const feed = { journal: world.options };
  return runProjections(port, projections, {
    table: world.projectionTable,
    feed,
    sequencer: false,
    leaseMs: 300,
    pollMs: 50,
    ...options,
  });
}

/** Waits until a projection has passed all events of the feed. */
export async function caughtUp(
  { control }: ProjectionWorld,
  name = "lists",
  version?: number,
): Promise<void> {
  const lag = async () => (await control.status(name, version === undefined ? {} : { version })).lagEvents;
  await expect.poll(lag).toBe(0);
}
