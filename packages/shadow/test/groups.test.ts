import { unwrap } from "@tablekeep/core";
import { pauseAtEvery, stopAfterNth } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { openShadowManager, type ShadowManager } from "../src/index.ts";
import { shadowWorld } from "./shadow-world.ts";

async function world() {
  const { engine: port, table } = await shadowWorld();
  return { port, table, manager: openShadowManager(port, { table }) };
}

async function found(manager: ShadowManager, query: string): Promise<string[]> {
  return (await manager.search({ query })).shadows.map(({ id }) => id).toSorted();
}

const code = (code: string) => ({ code });

test("static and dynamic groups in queries", async () => {
  const { manager } = await world();
  const { groups } = manager;
  for (const [id, firmware] of Object.entries({ lamp: "2.0", fan: "2.1", door: "1.9" }))
    unwrap(await manager.report({ id, state: { firmware } }));
  await groups.save({ name: "kitchen" });
  await groups.save({ name: "old", query: 'reported.firmware < "2.1"' });
  await groups.add("kitchen", ["lamp"]);
  expect(await groups.add("kitchen", ["lamp", "fan", "fan", "without-a-shadow"])).toEqual([
    "fan",
    "without-a-shadow",
  ]);
  expect(await found(manager, 'group = "kitchen"')).toEqual(["fan", "lamp"]);
  expect(await found(manager, 'group != "kitchen"')).toEqual(["door"]);
  expect(await found(manager, 'group = "old"')).toEqual(["door", "lamp"]);
  expect(await found(manager, 'group = "kitchen" and group = "old"')).toEqual(["lamp"]);
  expect(await found(manager, 'not group = "old" or group = "kitchen"')).toEqual(["fan", "lamp"]);
  expect(await groups.remove("kitchen", ["lamp", "door"])).toEqual(["lamp"]);
  await groups.save({ name: "old", query: 'reported.firmware = "2.1"' });
  expect(await found(manager, 'group = "kitchen" and group = "old"')).toEqual(["fan"]);
  expect(await groups.things("kitchen")).toEqual({ things: ["fan", "without-a-shadow"] });
  expect(await groups.list()).toEqual({
    groups: [{ name: "kitchen" }, { name: "old", query: 'reported.firmware = "2.1"' }],
  });
  const first = await groups.things("kitchen", { limit: 1 });
  expect(first.things).toEqual(["fan"]);
  expect((await groups.things("kitchen", { token: first.token as string })).things).toEqual([
    "without-a-shadow",
  ]);
});

test("what a group is not", async () => {
  const { manager } = await world();
  const { groups } = manager;
  await groups.save({ name: "list" });
  await groups.save({ name: "list" });
  await groups.save({ name: "query", query: "connected" });
  await expect(groups.save({ name: "list", query: "connected" })).rejects.toMatchObject(
    code("SHADOW_GROUP_KIND"),
  );
  await expect(groups.save({ name: "query" })).rejects.toMatchObject(code("SHADOW_GROUP_KIND"));
  await expect(groups.add("query", ["a"])).rejects.toMatchObject(code("SHADOW_GROUP_KIND"));
  await expect(groups.things("query")).rejects.toMatchObject(code("SHADOW_GROUP_KIND"));
  await expect(groups.add("none", ["a"])).rejects.toMatchObject(code("SHADOW_GROUP_NOT_FOUND"));
  await expect(found(manager, 'group = "none"')).rejects.toMatchObject(code("SHADOW_GROUP_NOT_FOUND"));
  await expect(groups.save({ name: "a b" })).rejects.toMatchObject(code("SHADOW_OPTION_INVALID"));
  await expect(groups.save({ name: "g", query: 'group = "list"' })).rejects.toMatchObject(
    code("SHADOW_OPTION_INVALID"),
  );
  await expect(groups.save({ name: "g", query: "reported." })).rejects.toMatchObject(
    code("SHADOW_QUERY_INVALID"),
  );
  await expect(groups.add("list", [""])).rejects.toMatchObject(code("SHADOW_OPTION_INVALID"));
  for (const query of ["group", "group exists", "group = 1", "group = true", 'group < "a"', 'group.a = "b"'])
    await expect(found(manager, query)).rejects.toMatchObject(code("SHADOW_QUERY_INVALID"));
  expect(await groups.delete("none")).toBe(false);
});

test("a delete that crashes at any request is continued, and nothing of the group comes back", async () => {
  const report = await stopAfterNth({
    async setup() {
      const made = await world();
      unwrap(await made.manager.report({ id: "lamp", state: {} }));
      await made.manager.groups.save({ name: "g" });
      await made.manager.groups.add("g", ["lamp", "fan"]);
      return made;
    },
    run: (port, { table }) => openShadowManager(port, { table }).groups.delete("g"),
    async check({ manager, port, table }, stop) {
      const before = await manager.groups.get("g");
      // Before the mark, nothing has happened.
      if (before !== undefined) expect(stop?.n).toBeLessThanOrEqual(2);
      else await manager.groups.save({ name: "g" });
      const { things } = await manager.groups.things("g");
      expect(things).toEqual(before === undefined ? [] : ["fan", "lamp"]);
      expect(await found(manager, 'group = "g"')).toEqual(before === undefined ? [] : ["lamp"]);
      await manager.groups.delete("g");
      const { Items = [] } = await port.scan({ TableName: table });
      expect(Items.map((item) => item["PK"]?.S)).toEqual(["DS#lamp"]);
    },
  });
  expect(report.requests).toBeGreaterThan(4);
});

test("a paused change does not reach a group that was deleted and created again meanwhile", async () => {
  for (const change of ["add", "delete"] as const)
    await pauseAtEvery({
      async setup() {
        const made = await world();
        await made.manager.groups.save({ name: "g" });
        await made.manager.groups.add("g", ["old"]);
        return made;
      },
      async paused(port, { table }) {
        const { groups } = openShadowManager(port, { table });
        if (change === "add") await groups.add("g", ["late"]);
        else await groups.delete("g");
      },
      async meanwhile(_port, { manager }) {
        await manager.groups.delete("g");
        await manager.groups.save({ name: "g" });
        await manager.groups.add("g", ["new"]);
      },
      async check({ manager }, { pause, paused }) {
        // A change that had not begun is one of the new group.
        if (pause.n === 1 && pause.variant === "before") return;
        expect(await manager.groups.things("g")).toEqual({ things: ["new"] });
        if (change === "add" && pause.n === 2 && pause.variant === "before")
          expect(paused).toMatchObject({ status: "rejected", reason: code("SHADOW_GROUP_NOT_FOUND") });
      },
    });
});
