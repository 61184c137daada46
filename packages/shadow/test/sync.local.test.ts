import { randomUUID } from "node:crypto";
import { connect, ensureTable } from "@tablekeep/client";
import { unwrap } from "@tablekeep/core";
import { describe, expect, inject, test } from "vitest";
import {
  type CloudShadows,
  openShadowManager,
  openShadowSync,
  readSyncStatuses,
  shadowTableSpec,
} from "../src/index.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("a sync on DynamoDB Local", () => {
  test("copies, merges and deletes, and stores what it knows", async () => {
    const [table, other] = [`shadows-${randomUUID()}`, `shadows-${randomUUID()}`];
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    await using port = connect({ endpoint, region: "us-east-1", credentials });
    for (const each of [table, other]) await ensureTable(port, shadowTableSpec(each));
    const [local, remote] = [openShadowManager(port, { table }), openShadowManager(port, { table: other })];
    const cloud: CloudShadows = {
      name: "cloud",
      async get(shadow) {
        const view = await remote.get(shadow);
        return view && { state: view.state, version: view.version };
      },
      async update(shadow, patch, version) {
        const outcome = await remote.update({ ...shadow, ...patch, version });
        return outcome.kind === "conflict" ? undefined : unwrap(outcome).current.version;
      },
      async delete(shadow) {
        await remote.delete(shadow);
      },
      names: async () => [],
    };
    const sync = openShadowSync(port, local, cloud, { table });
    const lamp = { id: "lamp", name: "" };
    unwrap(await local.report({ ...lamp, state: { on: true } }));
    expect(await sync.sync(lamp)).toEqual({ kind: "synced", conflicts: 0 });
    unwrap(await remote.desire({ ...lamp, state: { level: 3 } }));
    unwrap(await local.desire({ ...lamp, state: { level: 2, more: 1 } }));
    expect(await sync.sync(lamp)).toEqual({ kind: "synced", conflicts: 1 });
    const state = { reported: { on: true }, desired: { level: 3, more: 1 } };
    expect([(await local.get(lamp))?.state, (await remote.get(lamp))?.state]).toEqual([state, state]);
    const statuses = async () => {
      const found: string[] = [];
      for await (const { id } of readSyncStatuses(port, "cloud", { table })) found.push(id);
      return found;
    };
    expect(await statuses()).toEqual(["lamp"]);
    unwrap(await remote.delete(lamp));
    expect(await sync.sync(lamp)).toEqual({ kind: "synced", conflicts: 0 });
    expect(await local.get(lamp)).toBeUndefined();
    expect(await statuses()).toEqual([]);
  });
});
