/** kill -9 of processes that run projections and of processes that control them, on the engine over HTTP. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ensureTable, httpPort } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openFeed } from "@tablekeep/feed";
import { openProjections, type Projections, projectionTableSpec } from "@tablekeep/feed/projections";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { seededRandom } from "@tablekeep/testkit";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sourceAliases } from "../../../../../scripts/lib/source-aliases.mjs";
import { type RunningDynamoDb, startDynamoDb } from "../../../src/index.ts";
import { isPoison } from "./projections.ts";

const kills = 8 * Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));
const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const outDir = `${root}node_modules/.cache/tablekeep/projections-${randomUUID()}`;
const script = `${outDir}/projection-child.mjs`;
let served: RunningDynamoDb;

beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: "error",
    root,
    resolve: { alias: sourceAliases },
    ssr: { noExternal: [/^@tablekeep\//] },
    build: {
      ssr: fileURLToPath(new URL("projection-child.ts", import.meta.url)),
      outDir,
      target: "node20",
      rollupOptions: { output: { entryFileNames: "projection-child.mjs" } },
    },
  });
  served = await startDynamoDb({ port: 0 });
});
afterAll(async () => {
  await served.stop();
  await rm(outDir, { recursive: true, force: true });
});

/** Starts a process. Returns a function that kills it, and fails if it has ended by itself. */
async function start(role: "run" | "control", handlers = "broken"): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [script, role, served.endpoint, handlers], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), ended]);
  return async () => {
    expect(child.exitCode).toBeNull();
    child.kill("SIGKILL");
    await ended;
  };
}

async function listsOf(port: DynamoPort): Promise<Map<string, number[]>> {
  const { Items = [] } = await port.scan({ TableName: "model", ConsistentRead: true });
  return new Map(Items.map(({ id, list }) => [id?.S ?? "", list?.L?.map(({ N }) => Number(N)) ?? []]));
}

async function caughtUp(control: Projections, name: string, version: number): Promise<void> {
  const left = async () => {
    const { lagEvents, parked } = await control.status(name, { version });
    return lagEvents + parked;
  };
  await expect.poll(left).toBe(0);
}

const roles = ["run", "run", "control", "control"] as const;

test("every event is applied once and in order while runners and operators are killed", async () => {
  await using port = httpPort({
    endpoint: served.endpoint,
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
  });
  await ensureTable(port, journalTableSpec());
  await ensureTable(port, projectionTableSpec());
  await ensureTable(port, { name: "model", partitionKey: { name: "id", type: "S" } });
  const feed = await openFeed(port, { slices: 4 });
  await feed.catchUp();
  const journal = await openJournal(port);
  const random = seededRandom("controlled projections");
  const ids = Array.from({ length: 12 }, (_unused, at) => `thing|${at}`);
  const [firstRunner, ...rest] = roles;
  // The first process creates the projections that the others control.
  const children = [await start(firstRunner)];
  for (const role of rest) children.push(await start(role));
  for (let round = 0; round < kills; round++) {
    for (const id of ids) unwrap(await journal.append(id, { payload: round }));
    await feed.catchUp();
    await pause(random.int(0, 100));
    const at = random.int(0, roles.length - 1);
    await children[at]?.();
    children[at] = await start(roles[at] ?? "run");
  }
  for (const kill of children) await kill();
  const stop = await start("run", "healed");
  const control = await openProjections(port);
  for (const version of [1, 2]) await control.resume("lists", { version });
  await control.resume("log");
  await control.retryParked("lists", { version: 1 });
  await caughtUp(control, "lists", 1);
  await caughtUp(control, "lists", 2);
  await caughtUp(control, "log", 1);
  await stop();
  const lists = await listsOf(port);
  const all = Array.from({ length: kills }, (_unused, at) => at + 1);
  for (const id of ids) {
    expect([id, lists.get(`${id}@1`)]).toEqual([id, all]);
    const second = lists.get(`${id}@2`) ?? [];
    // Operators have skipped some of the events that stopped a slice, and no others.
    expect([
      id,
      all
        .filter((nr) => isPoison(nr) && !second.includes(nr))
        .concat(second)
        .toSorted((a, b) => a - b),
    ]).toEqual([id, all]);
    expect([id, second]).toEqual([id, second.toSorted((a, b) => a - b)]);
  }
  const { slices } = await control.status("log");
  for (const { slice, events } of slices) {
    const log = lists.get(`log-${slice}`) ?? [];
    const jumps = log.filter((offset, at) => offset !== (log[at - 1] ?? -1) + 1);
    // A rewind is to the start, and moves nothing else.
    expect(jumps.every((offset) => offset === 0)).toBe(true);
    expect(log.at(-1) ?? -1).toBe(events - 1);
  }
  expect([1, 2]).toContain(await control.currentVersion("lists"));
  for (const name of ["lists", "log"]) {
    const { findings } = await control.verify(name);
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  }
});
