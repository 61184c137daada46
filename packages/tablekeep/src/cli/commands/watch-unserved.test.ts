/** A watch of a folder that no process serves would see nothing, and keep a server from starting. */
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { openFeed } from "@tablekeep/feed";
import { journalTableSpec } from "@tablekeep/journal";
import { mailTableSpec } from "@tablekeep/mail";
import { shadowTableSpec } from "@tablekeep/shadow";
import { beforeAll, expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const data = tempFolder();

beforeAll(async () => {
  await using engine = await openEngine({ storage: { kind: "folder", path: data } });
  const carts = { name: "carts", partitionKey: { name: "id", type: "S" } } as const;
  for (const spec of [carts, journalTableSpec(), mailTableSpec(), shadowTableSpec()])
    await ensureTable(engine, spec);
  await (await openFeed(engine)).create();
});

test.each([
  ["table watch carts --stream NEW_IMAGE", "table list carts"],
  ["journal watch cart-1", "journal get cart-1"],
  ["feed watch", "feed list"],
  ["mail watch --from start", "mail list"],
  ["shadow watch lamp", "shadow get lamp"],
])("%s ends at once, and names the command that prints what is stored", async (words, instead) => {
  const { code, stdout, stderr } = await runMain([...words.split(" "), "--data", data]);
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toMatch(/^error: no process serves the folder[^\n]* \[CLI_NOT_SERVED\]\n$/);
  expect(stderr).toContain('"tablekeep serve"');
  expect(stderr).toContain(`"tablekeep ${instead}"`);
});

test("a watch that is rejected enables no stream", async () => {
  const { stdout } = await runMain(["table", "get", "carts", "--data", data]);
  expect(JSON.parse(stdout)).not.toHaveProperty("LatestStreamArn");
});
