import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { httpPort } from "@tablekeep/client";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Feed, openFeed } from "../../src/index.ts";
import { appendSome, type FeedWorld, newWorld, replaceItems } from "../feed-world.ts";
import { caughtUp, countOf, newProjectionWorld } from "../projections/projection-world.ts";
import { startProjectionChild } from "./killed-projection.ts";
import { bundleFeedChild, type EndedLine, startFeedChild } from "./start-feed-child.ts";

const endpoint = inject("dynamoDbLocal");
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

/** Brings events into the feed, round by round, so that it has several pages. */
async function fed(world: FeedWorld, rounds: number): Promise<Feed> {
  const feed = await openFeed(world.port, { journal: world.options, slices: 4 });
  for (let round = 0; round < rounds; round++) {
    await appendSome(world, 7, round);
    await feed.catchUp();
  }
  return feed;
}

describe.skipIf(endpoint === "")("processes whose table is replaced", () => {
  const scripts: string[] = [];
  beforeAll(async () => {
    for (const name of ["feed-child", "projection-child"]) scripts.push(await bundleFeedChild(name));
  });
  afterAll(async () => {
    for (const script of scripts) await rm(dirname(script), { recursive: true, force: true });
  });

  test("a reader ends, and two runners report it: neither goes on with other events", async () => {
    const [feedScript = "", projectionScript = ""] = scripts;
    await using port = httpPort({ endpoint, credentials });
    const suffix = `-${randomUUID()}`;
    const world = await newProjectionWorld(port, suffix);
    const { projectionTable, modelTable, control } = world;
    const table = `events${suffix}`;
    await fed(world, 3);
    const total = [...world.appended.values()].reduce((sum, count) => sum + count, 0);
    const other = await newWorld(port, { table: `other${suffix}` });
    await fed(other, 9);

    let seen = 0;
    let ended = "";
    const onLine = (line: unknown) => {
      ended = (line as Partial<EndedLine>).ended ?? ended;
      seen += ended === "" ? 1 : 0;
    };
    const args = {
      role: "read",
      endpoint,
      table,
      layout: "packed",
      seed: "",
      from: "start",
      leaseMs: 300,
    } as const;
    const reader = startFeedChild(feedScript, args, onLine, () => {});
    const project = { role: "project", endpoint, table, projectionTable, modelTable } as const;
    const runners = await Promise.all(
      [project, project].map((each) => startProjectionChild(projectionScript, each)),
    );
    try {
      const slow = { timeout: 120_000 };
      await expect.poll(() => seen, slow).toBe(total);
      await expect.poll(() => countOf(world), slow).toBe(total);
      await caughtUp(world);
      const { slices: before } = await control.status("lists");

      await replaceItems(port, `other${suffix}`, table);
      await expect.poll(() => ended, slow).toBe("FEED_POSITION_INVALID");
      const failing = before.filter(({ offset }) => offset > 0).map(({ slice }) => slice);
      const errors = async () => {
        const { slices } = await control.status("lists");
        return failing.map((slice) => slices[slice]?.error?.split(":")[0]);
      };
      await expect.poll(errors, slow).toEqual(failing.map(() => "PROJECTION_POSITION_AHEAD"));
      const { slices } = await control.status("lists");
      expect(slices.map(({ offset }) => offset)).toEqual(before.map(({ offset }) => offset));
      expect(await countOf(world)).toBe(total);
      expect(seen).toBe(total);
    } finally {
      await Promise.all([reader.kill(), ...runners.map((kill) => kill())]);
    }
  });
});
