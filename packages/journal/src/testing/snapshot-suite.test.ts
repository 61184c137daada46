import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { register } from "@tablekeep/port-suite";
import { fakeClock } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engineWithSnapshots } from "../../test/engine-port.ts";
import { engineWith } from "../../test/journal-world.ts";
import { openSnapshots } from "../snapshots/open-snapshots.ts";
import type { SnapshotsOptions } from "../snapshots/snapshot-options.ts";
import { snapshotTableSpec } from "../snapshots/snapshots.ts";
import { snapshotCases, snapshotSuite } from "./snapshot-suite.ts";

const stores: readonly [name: string, options: SnapshotsOptions][] = [
  ["as they are by default", {}],
  ["in the format of the plugin before 1.1.2", { format: "pay" }],
  ["while time stands still", { clock: fakeClock() }],
  ["always compressed", { compression: "always" }],
  ["never compressed", { compression: "never" }],
  ["in many small chunks", { maxItemSize: 30_000 }],
];

describe.each(stores)("snapshots in memory, %s", (_name, options) => {
  let port: DynamoPort;
  const open = async () => {
    port = await engineWithSnapshots("snapshots");
    return openSnapshots(port, { table: "snapshots", ...options });
  };
  register(snapshotSuite({ open }), { test, beforeAll, afterAll });
  afterAll(() => port.close());
});

describe.each([
  ["by default", {}],
  ["in many small chunks", { maxItemSize: 30_000 }],
] as const)("snapshots beside the events of a packed journal, %s", (_name, options) => {
  let port: DynamoPort;
  const open = async () => {
    port = await engineWith({ layout: "packed", table: "events" });
    return openSnapshots(port, { journal: { layout: "packed", table: "events" }, ...options });
  };
  register(snapshotSuite({ open }), { test, beforeAll, afterAll });
  afterAll(() => port.close());
});

describe("snapshots in a folder", () => {
  let folder: string;
  let port: DynamoPort;
  const open = async () => {
    folder = await mkdtemp(join(tmpdir(), "tablekeep-snapshots-"));
    port = await openEngine({ storage: { kind: "folder", path: folder, durable: false } });
    await ensureTable(port, snapshotTableSpec("snapshots"));
    return openSnapshots(port, { table: "snapshots" });
  };
  register(snapshotSuite({ open }), { test, beforeAll, afterAll });
  afterAll(async () => {
    await port.close();
    await rm(folder, { recursive: true });
  });
});

describe("the cases of the snapshot suite", () => {
  test("have unique names, and sources", () => {
    const names = snapshotCases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(snapshotCases.filter(({ name, source }) => name === "" || source === "")).toEqual([]);
  });

  test("are left out where a store cannot do what they need", () => {
    const open = () => Promise.reject(new Error("not opened here"));
    const all = snapshotSuite({ open }).cases.length;
    const fewer = snapshotSuite({ open, abilities: { metadata: false, list: false } }).cases.length;
    expect(fewer).toBe(
      all - snapshotCases.filter(({ needs }) => needs === "metadata" || needs === "list").length,
    );
    expect(fewer).toBeLessThan(all);
  });

  test("cannot be run before the suite is set up", async () => {
    const [first] = snapshotSuite({ open: () => Promise.reject(new Error("not opened here")) }).cases;
    await expect(first?.run()).rejects.toThrow("setup() has not run");
  });
});
