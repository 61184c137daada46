import { randomUUID } from "node:crypto";
import { httpPort } from "@tablekeep/client";
import type { LayoutName } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { appendSome, expectWhole, feedOf, newWorld } from "./feed-world.ts";

const endpoint = inject("dynamoDbLocal");
const layouts: readonly LayoutName[] = ["packed", "bucketed"];

describe.skipIf(endpoint === "")("a feed on DynamoDB Local", () => {
  let port: ReturnType<typeof httpPort>;
  beforeAll(() => {
    port = httpPort({ endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } });
  });
  afterAll(() => port.close());

  test.each(layouts)("has every event once where two sequencers compete (%s)", async (layout) => {
    const world = await newWorld(port, { table: `feed-${randomUUID()}`, layout });
    await appendSome(world, 4);
    const sequencers = [1, 2].map(async () => {
      for (let round = 0; round < 3; round++) await (await feedOf(world)).catchUp();
    });
    for (let round = 1; round <= 4; round++) await appendSome(world, 6, round);
    await Promise.all(sequencers);
    await expectWhole(world);
    const feed = await feedOf(world);
    await feed.rebuild();
    await feed.catchUp();
    const removed = await Promise.all([feed.removeOld(), (await feedOf(world)).removeOld()]);
    expect(Math.max(...removed)).toBeGreaterThan(0);
    expect(await feed.removeOld()).toBe(0);
    await expectWhole(world);
  });
});
