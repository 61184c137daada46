import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import {
  journalTableSpec,
  type LayoutName,
  openJournal,
  openSnapshots,
  snapshotTableSpec,
} from "@tablekeep/journal";
import { expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { startServer } from "../../server/start-server.ts";

/** A folder with a journal of one id, snapshots of it, and one of the same number in the table `snapshots`. */
async function folderWith(layout: LayoutName): Promise<string> {
  const folder = tempFolder();
  const engine = await openEngine({ storage: { kind: "folder", path: folder } });
  await ensureTable(engine, journalTableSpec());
  await ensureTable(engine, snapshotTableSpec());
  const journal = await openJournal(engine, { layout });
  await (await journal.recover("cart-1")).appendEach([{ payload: "apple" }, { payload: "pear" }]);
  await (await openSnapshots(engine)).save("cart-1", 2, "own table");
  const snapshots = await openSnapshots(engine, { journal });
  for (const sequenceNr of [1, 2]) await snapshots.save("cart-1", sequenceNr, `state ${sequenceNr}`);
  await engine.close();
  return folder;
}

test("snapshots of a packed journal are those beside its events, unless a table is named", async () => {
  const folder = await folderWith("packed");
  const run = (...argv: string[]) => runMain(["snapshot", ...argv, "--data", folder]);
  const state = async (...argv: string[]) =>
    JSON.parse((await run("get", "cart-1", "--json", ...argv)).stdout).state;
  expect(await state()).toBe("state 2");
  expect(await state("--sequence-nr", "1")).toBe("state 1");
  expect(await state("--table", "events")).toBe("state 2");
  expect(await state("--table", "snapshots")).toBe("own table");
  expect((await run("delete", "cart-1", "--to", "1", "--yes")).code).toBe(0);
  expect((await run("list", "cart-1")).stdout).toMatch(/^ +2 {2}\S+\n$/);
  const purged = await runMain(["journal", "purge", "cart-1", "--yes", "--json", "--data", folder]);
  expect(JSON.parse(purged.stdout)).toEqual({ persistenceId: "cart-1", left: ["commands"] });
  expect((await run("list", "cart-1")).stdout).toBe("");
  expect(await state("--table", "snapshots")).toBe("own table");
});

test("snapshots of a bucketed journal are those of the table", async () => {
  const folder = await folderWith("bucketed");
  const shown = await runMain(["snapshot", "get", "cart-1", "--json", "--data", folder]);
  expect(JSON.parse(shown.stdout).state).toBe("state 2");
});

test.each([
  ["packed", "events"],
  ["bucketed", "snapshots"],
] as const)("a server opens a folder with a %s journal as it is", async (layout, snapshotTable) => {
  const dataFolder = await folderWith(layout);
  const only = { httpPort: 0, dynamodb: false, mail: false, shadows: false } as const;
  await using server = await startServer({ dataFolder, ...only });
  const read = async (path: string) =>
    (await fetch(new URL(`/api/v3/journals${path}`, server.listeners[0]?.url))).json();
  expect(await read("")).toMatchObject({ journals: [{ table: "events", layout, snapshotTable }] });
  expect(await read("/journal/ids/cart-1/events")).toMatchObject({
    events: [{ payload: "apple" }, { payload: "pear" }],
  });
  expect(await read("/journal/ids/cart-1/snapshots")).toMatchObject({
    snapshots: [{ sequenceNr: 1 }, { sequenceNr: 2 }],
  });
  expect(await read("/journal/ids/cart-1/snapshots/latest")).toMatchObject({ state: "state 2" });
});
