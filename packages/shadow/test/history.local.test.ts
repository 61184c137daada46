import { randomUUID } from "node:crypto";
import { connect, ensureTable } from "@tablekeep/client";
import { unwrap } from "@tablekeep/core";
import { describe, expect, inject, test } from "vitest";
import { openShadowManager, shadowHistoryTableSpec, shadowTableSpec } from "../src/index.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("a history on DynamoDB Local", () => {
  test("has versions, gaps and deletions, and removes old versions", async () => {
    const table = `shadows-${randomUUID()}`;
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    await using port = connect({ endpoint, region: "us-east-1", credentials });
    await ensureTable(port, shadowTableSpec(table));
    await ensureTable(port, shadowHistoryTableSpec(table));
    const id = "lamp";
    const manager = openShadowManager(port, { table, history: { keep: 4 } });
    const without = openShadowManager(port, { table });
    const shown = async () =>
      (await manager.history({ id })).entries.map(({ kind, version, gap }) => [kind, version, gap]);

    for (let n = 1; n <= 16; n++) unwrap(await manager.report({ id, state: { n } }));
    await manager.shadows.settle();
    expect((await shown()).map(([, version]) => version)).toEqual([16, 15, 14, 13]);
    expect((await manager.at({ id }, 14))?.state).toEqual({ reported: { n: 14 } });

    unwrap(await without.report({ id, state: { n: 17 } }));
    expect((await manager.history({ id })).gap).toBe(true);
    unwrap(await manager.report({ id, state: { n: 18 } }));
    unwrap(await manager.delete({ id }));
    unwrap(await manager.report({ id, state: { n: 19 } }));
    expect((await shown()).slice(0, 4)).toEqual([
      ["updated", 19, false],
      ["deleted", 18, false],
      ["updated", 18, true],
      ["updated", 16, false],
    ]);
    expect((await manager.at({ id }, new Date(Date.now() + 60_000)))?.version).toBe(19);
  });
});
