import { randomUUID } from "node:crypto";
import { connect, ensureTable } from "@tablekeep/client";
import { silentLogger, systemClock, unwrap } from "@tablekeep/core";
import { describe, expect, inject, test } from "vitest";
import { ConnectionLog, openRollouts, openShadowManager, shadowTableSpec } from "../src/index.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("a fleet on DynamoDB Local", () => {
  test("has connections, groups and rollouts", async () => {
    const table = `shadows-${randomUUID()}`;
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    await using port = connect({ endpoint, region: "us-east-1", credentials });
    await ensureTable(port, shadowTableSpec(table));
    const manager = openShadowManager(port, { table });
    for (const id of ["lamp", "fan"]) unwrap(await manager.desire({ id, state: { level: id.length } }));

    const log = new ConnectionLog({ port, table, server: "a", clock: systemClock, logger: silentLogger });
    await log.start();
    const version = await new Promise((resolve) => log.connected("lamp", resolve));
    expect(version).toBe(1);
    const found = async (query: string) => (await manager.search({ query })).shadows.map(({ id }) => id);
    await manager.groups.save({ name: "all" });
    await manager.groups.add("all", ["lamp", "fan"]);
    await manager.groups.save({ name: "online", query: "connected" });
    expect(await found('group = "all" and group = "online"')).toEqual(["lamp"]);
    await log.close();
    expect(await found('group = "online"')).toEqual([]);

    const rollouts = openRollouts(port, manager, { table });
    await rollouts.create({ name: "dim", query: 'group = "all"', desired: { level: 9 }, waves: [1] });
    // Another runner continues at once what this one has left.
    const other = openRollouts(port, manager, { table });
    await other.advance("dim");
    await other.release();
    while (await rollouts.advance("dim")) {
      for (const id of ["lamp", "fan"]) {
        const { delta } = (await manager.get({ id })) ?? {};
        if (delta?.["level"] === 9) unwrap(await manager.report({ id, state: delta }));
      }
    }
    expect(await rollouts.get("dim")).toMatchObject({ phase: "succeeded", waves: [1, 1] });
    await rollouts.rollBack("dim");
    expect(await rollouts.advance("dim")).toBe(false);
    for (const id of ["lamp", "fan"])
      expect((await manager.get({ id }))?.state.desired).toEqual({ level: id.length });
    expect(await manager.groups.delete("all")).toBe(true);
  });
});
