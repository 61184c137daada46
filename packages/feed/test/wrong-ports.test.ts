import { expect, test } from "vitest";
import { openFeed } from "../src/index.ts";
import { openProjections, runProjections } from "../src/projections/index.ts";
import { ensureStream } from "../src/stream/ensure-stream.ts";
import { openStreamSource } from "../src/stream/open-stream-source.ts";

const wrong = [undefined, null, "http://127.0.0.1:8000", {}, Promise.resolve({})];

test.each(wrong)("%s in place of a port is rejected", async (given) => {
  const port = given as never;
  const feed = { code: "FEED_OPTION_INVALID", details: { option: "port" } };
  await expect(openFeed(port)).rejects.toMatchObject(feed);
  await expect(ensureStream(port, "events", "NEW_IMAGE")).rejects.toMatchObject(feed);
  await expect(openStreamSource(port, { tableName: "events" })).rejects.toMatchObject(feed);
  const projections = { code: "PROJECTION_OPTION_INVALID", details: { option: "port" } };
  await expect(openProjections(port)).rejects.toMatchObject(projections);
  await expect(runProjections(port, [])).rejects.toMatchObject(projections);
});
