import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { LayoutName } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { runKilledFeed } from "./killed-feed.ts";
import { bundleFeedChild } from "./start-feed-child.ts";

const endpoint = inject("dynamoDbLocal");
const layouts: readonly LayoutName[] = ["packed", "bucketed"];
const kills = 10 * Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));

describe.skipIf(endpoint === "")("kill -9", () => {
  let script = "";
  beforeAll(async () => {
    script = await bundleFeedChild();
  });
  afterAll(() => rm(dirname(script), { recursive: true, force: true }));

  test.each(layouts)(
    "of writers, sequencers and readers: every acknowledged event is in the feed once, in order (%s)",
    async (layout) => {
      const table = `killed-${randomUUID()}`;
      const { problems, acknowledged } = await runKilledFeed({ script, endpoint, table, layout, kills });
      expect(problems).toEqual([]);
      expect(acknowledged).toBeGreaterThan(10 * kills);
    },
  );
});
