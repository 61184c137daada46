import { ensureTable } from "@tablekeep/client";
import { type Item, unwrap } from "@tablekeep/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { originalItem, type ShadowWorld, shadowWorld } from "../../test/shadow-world.ts";
import { openShadowManager, shadowHistoryTableSpec, shadowTableSpec } from "../index.ts";
import {
  exportShadows,
  type ImportConflict,
  type ImportShadowsOptions,
  importShadows,
  readExportedShadows,
} from "./index.ts";

let world: ShadowWorld;
beforeEach(async () => {
  world = await shadowWorld();
  await ensureTable(world.engine, shadowTableSpec("copy"));
});
afterEach(() => world.engine.close());

const table = "shadows";
const copy = { table: "copy" };

async function exported(options: Parameters<typeof exportShadows>[2] = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportShadows(world.port, { table }, options)) lines.push(line);
  return lines;
}

const imported = (lines: readonly string[], options: ImportShadowsOptions = {}) =>
  importShadows(world.port, lines, copy, options);

/** The items of a table without what identifies a write. */
async function itemsOf(name: string): Promise<Item[]> {
  const { Items = [] } = await world.engine.scan({ TableName: name, ConsistentRead: true });
  return Items.map(({ WriteId: _, ...item }) => item).toSorted((one, other) =>
    JSON.stringify([one["PK"], one["SK"]]) < JSON.stringify([other["PK"], other["SK"]]) ? -1 : 1,
  );
}

async function fill(): Promise<void> {
  const manager = openShadowManager(world.port, { table });
  for (const id of ["lamp", "désk/\n#1", "__proto__"]) {
    for (const name of ["", "config"]) {
      unwrap(await manager.desire({ id, name, state: { on: true, deep: { n: 12345678901234567890n } } }));
      unwrap(await manager.report({ id, name, state: { on: false, list: [1, "x"] } }));
    }
  }
  unwrap(await manager.update({ id: "lamp", desired: { on: false }, clientToken: "mine" }));
  unwrap(await manager.delete({ id: "lamp", name: "config" }));
  const odd: Item = { bytes: { B: new Uint8Array([0, 255]) }, set: { NS: ["1", "22"] }, n: { N: "1e100" } };
  await world.put(
    originalItem("of-go", "DSC#x", 7, { reported: odd, desired: { list: { L: [{ NULL: true }] } } }),
  );
}

test("a copy has every shadow with its version, times, token and metadata, and the versions of deleted ones", async () => {
  await fill();
  const lines = await exported();
  expect(JSON.parse(lines[0] ?? "")).toEqual({ format: "tablekeep-shadows", version: 1 });
  expect(await imported(lines)).toEqual({
    shadows: 6,
    written: 6,
    same: 0,
    kept: 0,
    conflicts: 0,
    deleted: 1,
  });
  expect(await itemsOf("copy")).toEqual(await itemsOf(table));
  const again = await imported(lines);
  expect(again).toMatchObject({ written: 0, same: 6, conflicts: 0 });
  const manager = openShadowManager(world.port, copy);
  expect(unwrap(await manager.report({ id: "lamp", name: "config", state: { a: 1 } })).current.version).toBe(
    3,
  );
});

test("halves that are stored apart keep their versions", async () => {
  const shadows = world.open({ model: "separate" });
  await shadows.write([{ id: "lamp", desired: { a: 1 } }]);
  await shadows.write([{ id: "lamp", desired: { a: 2 } }]);
  await shadows.write([{ id: "lamp", reported: { a: 2 } }]);
  const lines = await exported();
  await expect(imported(lines)).rejects.toMatchObject({
    code: "SHADOW_EXPORT_INVALID",
    details: { line: 2 },
  });
  const summary = await importShadows(world.port, lines, { ...copy, model: "separate" });
  expect(summary).toMatchObject({ shadows: 2, written: 2 });
  expect(await itemsOf("copy")).toEqual(await itemsOf(table));
});

test("an interrupted export continues after its last complete line", async () => {
  await fill();
  const whole = (await exported()).join("");
  for (const cut of [0, 10, 60, 400, Math.floor(whole.length / 2), whole.length - 30, whole.length - 1]) {
    const part = Buffer.from(whole).subarray(0, cut);
    const resume = await readExportedShadows([part]);
    expect(resume.complete).toBe(false);
    const rest = await exported({ resume });
    expect(part.subarray(0, resume.bytes).toString() + rest.join("")).toBe(whole);
  }
  expect(await readExportedShadows([whole])).toMatchObject({ complete: true });
  const resume = await readExportedShadows([whole.slice(0, 200)]);
  await expect(exported({ resume, thing: "lamp" })).rejects.toMatchObject({ code: "SHADOW_EXPORT_INVALID" });
});

test("one thing can be exported", async () => {
  await fill();
  const lines = await exported({ thing: "lamp" });
  expect(lines.slice(1, -1).map((line) => JSON.parse(line).thing)).toEqual(["lamp", "lamp"]);
  expect(await imported(lines)).toMatchObject({ shadows: 1, deleted: 1 });
});

describe("a shadow that is already there in another state", () => {
  const conflicts: ImportConflict[] = [];
  const onConflict = (conflict: ImportConflict) => conflicts.push(conflict);
  let lines: string[] = [];
  beforeEach(async () => {
    conflicts.length = 0;
    const manager = openShadowManager(world.port, { table });
    for (let n = 1; n <= 3; n++)
      for (const id of ["low", "high"]) unwrap(await manager.report({ id, state: { n } }));
    lines = await exported();
    const target = openShadowManager(world.port, copy);
    unwrap(await target.report({ id: "low", state: { mine: 1 } }));
    for (let n = 1; n <= 4; n++) unwrap(await target.report({ id: "high", state: { mine: n } }));
  });
  const versions = async () =>
    Object.fromEntries((await itemsOf("copy")).map(({ PK, Version }) => [PK?.S, Version?.N]));

  test("is a conflict, which is reported and changes nothing", async () => {
    expect(await imported(lines, { onConflict })).toMatchObject({ written: 0, conflicts: 2 });
    expect(conflicts).toContainEqual({ id: "low", name: "", kind: "combined", version: 3, current: 1 });
    expect(await versions()).toEqual({ "DS#low": "1", "DS#high": "4" });
  });

  test("is left by keep", async () => {
    expect(await imported(lines, { onConflict, existing: "keep" })).toMatchObject({ kept: 2, conflicts: 0 });
    expect(await versions()).toEqual({ "DS#low": "1", "DS#high": "4" });
  });

  test("is replaced by replace-older if its version is lower", async () => {
    const summary = await imported(lines, { onConflict, existing: "replace-older" });
    expect(summary).toMatchObject({ written: 1, kept: 1, conflicts: 0 });
    expect(await versions()).toEqual({ "DS#low": "3", "DS#high": "4" });
    const manager = openShadowManager(world.port, copy);
    expect((await manager.get({ id: "low" }))?.state).toEqual({ reported: { n: 3 } });
  });
});

test("a shadow in the other model is a conflict", async () => {
  await world.open().write([{ id: "lamp", desired: { a: 1 }, reported: null }]);
  await world.openOn(world.port, { ...copy, model: "separate" }).write([{ id: "lamp", desired: { a: 1 } }]);
  expect(await imported(await exported())).toMatchObject({ written: 0, conflicts: 1 });
});

test("versions never go back: a deleted shadow that is restored continues after its version, once", async () => {
  const manager = openShadowManager(world.port, { table });
  unwrap(await manager.report({ id: "lamp", state: { n: 1 } }));
  const lines = await exported();
  for (const n of [2, 3]) unwrap(await manager.report({ id: "lamp", state: { n } }));
  unwrap(await manager.delete({ id: "lamp" }));
  const restore = () => importShadows(world.port, lines, { table });
  expect(await restore()).toMatchObject({ written: 1 });
  expect(await manager.get({ id: "lamp" })).toMatchObject({ version: 4, state: { reported: { n: 1 } } });
  expect(await restore()).toMatchObject({ written: 0, same: 1 });
});

test("where a history is kept, an import adds to it", async () => {
  await fill();
  await ensureTable(world.engine, shadowHistoryTableSpec("copy"));
  const kept = { ...copy, history: {} };
  const lines = await exported();
  expect(await importShadows(world.port, lines, kept)).toMatchObject({ written: 6 });
  const manager = openShadowManager(world.port, kept);
  unwrap(await manager.report({ id: "lamp", state: { on: true } }));
  const { entries, gap } = await manager.history({ id: "lamp" });
  expect(entries.map(({ version, gap: before }) => [version, before])).toEqual([
    [4, false],
    [3, false],
  ]);
  expect(gap).toBe(false);
  expect((await manager.at({ id: "lamp" }, 3))?.state.desired).toMatchObject({ on: false });
});

describe("a file that is not a whole export", () => {
  test.each([
    ["is empty", [] as string[], 1],
    ["is another file", ['{"format":"tablekeep-journal","version":1}\n'], 1],
    ["is from a newer program", ['{"format":"tablekeep-shadows","version":2}\n'], 1],
    ["has no JSON", ['{"format":"tablekeep-shadows","version":1}\n', "{]\n"], 2],
    ["has no end", ['{"format":"tablekeep-shadows","version":1}\n'], 2],
    ["lacks a line", ['{"format":"tablekeep-shadows","version":1}\n', '{"complete":true,"lines":1}\n'], 2],
    [
      "has a line without a version",
      [
        '{"format":"tablekeep-shadows","version":1}\n',
        '{"thing":"a","name":"","kind":"combined","timeStamp":"1","desired":null,"reported":null}\n',
        '{"complete":true,"lines":1}\n',
      ],
      2,
    ],
  ])("that %s is rejected before anything is written", async (_, lines, line) => {
    await fill();
    const [, first = "", second = ""] = await exported();
    const mixed = lines.length > 1 ? [lines[0] ?? "", first, second, ...lines.slice(1)] : lines;
    await expect(imported(mixed)).rejects.toMatchObject({
      code: "SHADOW_EXPORT_INVALID",
      details: { line: lines.length > 1 ? line + 2 : line },
    });
    expect(await itemsOf("copy")).toEqual([]);
  });
});

test("corrupt items end an export, or are reported and left out", async () => {
  await fill();
  await world.put({ ...originalItem("bad", "DSC#", 1, {}), Version: { S: "one" } });
  await expect(exported()).rejects.toMatchObject({ code: "SHADOW_ITEM_CORRUPT", details: { id: "bad" } });
  const corrupt: string[] = [];
  const lines = await exported({ onCorrupt: ({ code }) => corrupt.push(code) });
  expect(corrupt).toEqual(["SHADOW_ITEM_CORRUPT"]);
  expect(await imported(lines)).toMatchObject({ written: 6 });
});
