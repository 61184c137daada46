import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { httpPort } from "@tablekeep/client";
import { describe, expect, inject, test } from "vitest";
import { openFeed } from "../../src/index.ts";
import { checkFeedHistory, type FeedHistory, type SeenFeedEvent } from "../../src/testing/index.ts";
import {
  expectAllApplied,
  listProjection,
  listsOf,
  newProjectionWorld,
  type ProjectionWorld,
  running,
} from "../projections/projection-world.ts";
import { killProcesses } from "./killed-projection.ts";
import { bundleFeedChild } from "./start-feed-child.ts";

const endpoint = inject("dynamoDbLocal");
const kills = 16 * Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));

describe.skipIf(endpoint === "")("kill -9", () => {
  test("of two sequencers and two runners of a projection: every acknowledged event is applied once, in order", async () => {
    const script = await bundleFeedChild("projection-child");
    await using port = httpPort({
      endpoint,
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    });
    const world = await newProjectionWorld(port, `-${randomUUID()}`);
    await killProcesses(world, script, endpoint, kills);
    await rm(dirname(script), { recursive: true, force: true });
    const lists = listProjection(world);
    await using run = await running(world, [lists], { sequencer: true });
    for (const [persistenceId, sequenceNr] of world.appended)
      await run.reached(lists, { persistenceId, sequenceNr }, { deadlineMs: 300_000 });
    await expectAllApplied(world);
    expect(checkFeedHistory(await historyOf(world))).toEqual([]);
  });
});

/** What was appended, what the feed has, and what the projection has stored. */
async function historyOf(world: ProjectionWorld): Promise<FeedHistory> {
  const { appended, control, options, port } = world;
  const nameOf = (id: string, sequenceNr: number) => `${id} ${sequenceNr}`;
  const events: SeenFeedEvent[] = [];
  for await (const event of (await openFeed(port, { journal: options })).read())
    events.push({ ...event, text: nameOf(event.persistenceId, event.sequenceNr) });
  const { slices } = await control.status("lists");
  return {
    acknowledged: [...appended].flatMap(([persistenceId, count]) =>
      Array.from({ length: count }, (_unused, at) => ({
        persistenceId,
        text: nameOf(persistenceId, at + 1),
      })),
    ),
    readers: [{ reader: "once", isComplete: true, readings: [{ from: "start", events }] }],
    projections: [
      {
        projection: "lists",
        offsets: new Map(slices.map(({ slice, offset }) => [slice, offset])),
        applied: await listsOf(world),
      },
    ],
  };
}
