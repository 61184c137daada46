import { randomUUID } from "node:crypto";
import { httpPort } from "@tablekeep/client";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  caughtUp,
  expectAllApplied,
  feedSome,
  listProjection,
  listsOf,
  newProjectionWorld,
  running,
} from "./projection-world.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("projections on DynamoDB Local", () => {
  let port: ReturnType<typeof httpPort>;
  beforeAll(() => {
    port = httpPort({ endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } });
  });
  afterAll(() => port.close());

  test("two runners that are stopped and started apply every event once, in order", async () => {
    const world = await newProjectionWorld(port, `-${randomUUID()}`);
    await feedSome(world, 6);
    let isAppending = true;
    const runners = [1, 2].map(async () => {
      while (isAppending) {
        await using run = await running(world, [listProjection(world, { groupSize: 7 })]);
        await expect.poll(() => (run.status()[0]?.slices.length ?? 0) > 0 || !isAppending).toBe(true);
      }
    });
    for (let round = 1; round <= 4; round++) await feedSome(world, 6, round);
    isAppending = false;
    await Promise.all(runners);
    await using _run = await running(world, [listProjection(world)]);
    await caughtUp(world);
    await expectAllApplied(world);
  });

  test("parks, retries, pauses and rewinds", async () => {
    const world = await newProjectionWorld(port, `-${randomUUID()}`);
    await feedSome(world, 4);
    let isBad = true;
    const poisoned = "thing|1";
    const lists = listProjection(world, { onPoison: "park", fails: (id) => isBad && id === poisoned });
    await using _run = await running(world, [lists]);
    await caughtUp(world);
    expect(await world.control.parked("lists")).toHaveLength(2);
    isBad = false;
    await world.control.pause("lists");
    await world.control.retryParked("lists");
    await feedSome(world, 4, 1);
    expect((await listsOf(world)).get(poisoned)).toBeUndefined();
    await world.control.resume("lists");
    await expect.poll(async () => (await world.control.status("lists")).parked).toBe(0);
    await caughtUp(world);
    await expectAllApplied(world);
  });
});
