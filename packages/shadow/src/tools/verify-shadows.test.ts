import { ensureTable } from "@tablekeep/client";
import { unwrap } from "@tablekeep/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { originalItem, type ShadowWorld, shadowWorld } from "../../test/shadow-world.ts";
import { openShadowManager, shadowHistoryTableSpec } from "../index.ts";
import { type ShadowFinding, verifyShadows } from "./index.ts";

let world: ShadowWorld;
beforeEach(async () => {
  world = await shadowWorld();
});
afterEach(() => world.engine.close());

const table = "shadows";

async function verified(thing?: string, history = false) {
  const findings: ShadowFinding[] = [];
  const summary = await verifyShadows(
    world.port,
    { table, ...(history && { history: {} }) },
    { thing, onFinding: (finding) => void findings.push(finding) },
  );
  const shown = findings.map(({ id, name, kind, severity }) => `${severity} ${kind} ${id}/${name}`);
  return { summary, shown: shown.toSorted() };
}

test("shadows as Tablekeep and godeviceshadow write them have no findings", async () => {
  await ensureTable(world.engine, shadowHistoryTableSpec(table));
  const manager = openShadowManager(world.port, { table, history: {} });
  for (const name of ["", "x"])
    for (let n = 0; n < 3; n++) unwrap(await manager.report({ id: "lamp", name, state: { n } }));
  unwrap(await manager.delete({ id: "lamp", name: "x" }));
  unwrap(await openShadowManager(world.port, { table }).report({ id: "lamp", state: { without: 1 } }));
  await manager.groups.save({ name: "kitchen" });
  await world.open({ model: "separate" }).write([{ id: "apart", desired: { a: 1 } }]);
  await world.put(originalItem("of-go", "DSC#x", 7, { reported: { a: { N: "1" } } }));
  expect(await verified(undefined, true)).toEqual({
    summary: { shadows: 3, deleted: 1, entries: 7, others: 1, error: 0, warning: 0, info: 0 },
    shown: [],
  });
  expect((await verified()).summary).toMatchObject({ entries: 0, error: 0, warning: 0 });
});

test("every kind of damage is found", async () => {
  const fine = originalItem("fine", "DSC#", 3, { desired: { a: { N: "1" } } });
  await world.put(fine);
  await world.put({ ...fine, PK: { S: "DS#text" }, Version: { S: "one" } });
  await world.put({ ...fine, PK: { S: "DS#half" }, Version: { N: "1.5" } });
  await world.put({ ...fine, PK: { S: "DS#zero" }, Version: { N: "0" } });
  await world.put({ ...fine, PK: { S: "DS#huge" }, Version: { N: "9007199254740993" } });
  await world.put({ ...fine, PK: { S: "DS#time" }, TimeStamp: { N: "1.5" } });
  await world.put({ ...fine, PK: { S: "DS#list" }, Desired: { L: [] } });
  await world.put({ ...fine, PK: { S: "DS#meta" }, Metadata: { S: "{" } });
  await world.put({ ...fine, PK: { S: "DS#meta" }, SK: { S: "DSC#number" }, Metadata: { S: "1" } });
  const { Version, ...rest } = fine;
  await world.put({ ...rest, PK: { S: "DS#case" }, version: Version ?? { N: "1" } });
  await world.put({ ...fine, PK: { S: "DS#twice" } });
  await world.put({ ...fine, PK: { S: "DS#twice" }, SK: { S: "DSD#" } });
  await world.put({ ...fine, PK: { S: "DS#again" } });
  await world.put({ PK: { S: "DS#again" }, SK: { S: "DST#C#" }, Version: { N: "9" } });
  await world.put({ PK: { S: "DS#gone" }, SK: { S: "DST#C#" }, Version: { S: "x" } });
  const { summary, shown } = await verified();
  expect(shown).toEqual([
    "error corrupt gone/",
    "error corrupt half/",
    "error corrupt huge/",
    "error corrupt text/",
    "error corrupt time/",
    "error corrupt zero/",
    "error duplicate twice/",
    "info attribute-names case/",
    "warning metadata meta/",
    "warning metadata meta/number",
    "warning not-an-object list/",
    "warning version-behind again/",
  ]);
  expect(summary).toMatchObject({ shadows: 13, deleted: 2, error: 7, warning: 4, info: 1 });
  expect((await verified("twice")).shown).toEqual(["error duplicate twice/"]);
});

test("a shadow is compared with its history", async () => {
  await ensureTable(world.engine, shadowHistoryTableSpec(table));
  const manager = openShadowManager(world.port, { table, history: {} });
  for (const id of ["fine", "differs", "missing", "ahead", "orphan"])
    for (const n of [1, 2]) unwrap(await manager.report({ id, state: { n } }));
  const item = async (id: string) => (await world.items(id))[0] ?? {};
  const other = { Reported: { M: { n: { N: "7" } } } };
  await world.put({ ...(await item("differs")), ...other });
  await world.put({ ...(await item("ahead")), ...other, Version: { N: "1" } });
  const key = (id: string) => ({ PK: { S: `DS#${id}` }, SK: { S: "DSC#" } });
  await world.engine.deleteItem({ TableName: table, Key: key("orphan") });
  const entry = { Shadow: { S: '["missing",""]' }, Entry: { S: "0000000000000002" } };
  await world.engine.deleteItem({ TableName: `${table}-history`, Key: entry });
  expect((await verified(undefined, true)).shown).toEqual([
    "error history-differs differs/",
    "info history-missing missing/",
    "warning history-ahead ahead/",
    "warning history-orphan orphan/",
  ]);
  expect((await verified("orphan", true)).shown).toEqual(["warning history-orphan orphan/"]);
});
