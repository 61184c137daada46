/** What a feed could not read, by `tablekeep mcp` as a real process. */
import type { Client } from "@modelcontextprotocol/client";
import { connect } from "@tablekeep/client";
import { readFolderAccess } from "@tablekeep/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { hideEvents } from "../damage-event.ts";
import { runMain } from "../run-main.ts";
import { type ServedProcess, startServed } from "../shadow/served-process.ts";
import { tempFolder } from "../temp-folder.ts";
import { call, stdioClient } from "./agent.ts";

const folder = tempFolder();
let served: ServedProcess;
let client: Client;

beforeAll(async () => {
  const program = await buildProgram();
  served = startServed(program, folder, ["dynamodb", "smtp", "mqtt"]);
  await served.urls;
  client = await stdioClient(program, folder, "--allow-writes");
});
afterAll(async () => {
  await client.close();
  expect(await served.stop()).toBe(0);
});

test("names items of the journal that the feed could not read, and reads all other events", async () => {
  await call(client, "append_events", { id: "hidden|1", events: [{ payload: 1 }] });
  await call(client, "append_events", { id: "shown|1", events: [{ payload: 2 }] });
  const { endpoint = "", accessKeyId = "", secretAccessKey = "" } = readFolderAccess(folder) ?? {};
  await using port = connect({ endpoint, region: "local", credentials: { accessKeyId, secretAccessKey } });
  const restore = await hideEvents(port, "hidden|1", 1);
  const run = ["feed", "run", "--once", "--data", folder];
  expect((await runMain(run)).code).toBe(9);
  const unreadable = {
    count: 1,
    items: [{ persistenceId: "hidden|1", sequenceNr: 1, code: "JOURNAL_ITEM_CORRUPT" }],
  };
  expect(await call(client, "feed_status")).toMatchObject({ unreadable });
  const shown = await call(client, "read_feed", { type: "shown" });
  expect(shown["events"]).toMatchObject([{ persistenceId: "shown|1", payload: 2 }]);
  // A damaged page is reported, and not hidden by the number of slices.
  const { Items = [] } = await port.scan({ TableName: "events", ConsistentRead: true });
  const [page = {}] = Items.filter(({ refs }) => refs !== undefined);
  await port.putItem({ TableName: "events", Item: { ...page, count: { S: "many" } } });
  const { corrupt } = await call(client, "feed_status");
  expect(corrupt).toMatchObject([{ error: expect.stringContaining("FEED_PAGE_CORRUPT") }]);
  await port.putItem({ TableName: "events", Item: page });
  await restore();
  expect((await runMain([...run, "--sweep"])).code).toBe(0);
  const status = await call(client, "feed_status");
  expect([status["unreadable"], status["corrupt"]]).toEqual([undefined, undefined]);
});
