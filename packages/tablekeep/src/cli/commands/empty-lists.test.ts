/** A list without rows says so at a terminal, and prints nothing elsewhere. */
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { openFeed } from "@tablekeep/feed";
import { journalTableSpec, snapshotTableSpec } from "@tablekeep/journal";
import { mailTableSpec } from "@tablekeep/mail";
import { shadowTableSpec } from "@tablekeep/shadow";
import { beforeAll, expect, test } from "vitest";
import { tempFolder } from "../../../test/temp-folder.ts";
import { main } from "../main.ts";

const data = tempFolder();

beforeAll(async () => {
  await using engine = await openEngine({ storage: { kind: "folder", path: data } });
  const carts = { name: "carts", partitionKey: { name: "id", type: "S" } } as const;
  const stores = [journalTableSpec(), snapshotTableSpec(), mailTableSpec(), shadowTableSpec()];
  for (const spec of [carts, ...stores]) await ensureTable(engine, spec);
  await (await openFeed(engine)).create();
});

async function printed(argv: readonly string[], isTTY: boolean): Promise<string> {
  let text = "";
  const write = (part: string | Uint8Array) => {
    text += String(part);
  };
  const { signal } = new AbortController();
  const io = { stdout: { write, isTTY, columns: 80 }, stderr: { write }, env: {}, signal };
  expect(await main([...argv, "--data", data], io)).toBe(0);
  return text;
}

test.each([
  ["table list carts", "No items in carts."],
  ["journal list", "No persistence ids: the journal has no events."],
  ["feed list", "No events."],
  ["snapshot list cart-1", "No snapshots of cart-1."],
  ["mail list", "No messages."],
  ["mail list --query invoice", "No message matches."],
  ["shadow list", "No shadows."],
  ["shadow list lamp", "No shadows of lamp."],
  ["shadow list --query connected", "No shadow matches."],
  ["shadow group list", "No groups."],
  ["shadow rollout list", "No rollouts."],
])("%s", async (words, text) => {
  const argv = words.split(" ");
  expect(await printed(argv, true)).toBe(`${text}\n`);
  expect(await printed(argv, false)).toBe("");
  expect(await printed([...argv, "--json"], true)).toBe("");
  expect(await printed([...argv, "--quiet"], true)).toBe("");
});
