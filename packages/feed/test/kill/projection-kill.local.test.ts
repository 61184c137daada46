import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { httpPort } from "@tablekeep/client";
import { describe, inject, test } from "vitest";
import {
  expectAllApplied,
  listProjection,
  newProjectionWorld,
  running,
} from "../projections/projection-world.ts";
import { killRunners } from "./killed-projection.ts";
import { bundleFeedChild } from "./start-feed-child.ts";

const endpoint = inject("dynamoDbLocal");
const kills = 10 * Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));

describe.skipIf(endpoint === "")("kill -9", () => {
  test("of runners of a projection: every acknowledged event is applied once, in order", async () => {
    const script = await bundleFeedChild("projection-child");
    await using port = httpPort({
      endpoint,
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    });
    const world = await newProjectionWorld(port, `-${randomUUID()}`);
    await killRunners(world, script, endpoint, kills);
    await rm(dirname(script), { recursive: true, force: true });
    const lists = listProjection(world);
    await using run = await running(world, [lists], { sequencer: true });
    for (const [persistenceId, sequenceNr] of world.appended)
      await run.reached(lists, { persistenceId, sequenceNr }, { deadlineMs: 300_000 });
    await expectAllApplied(world);
  });
});
