import { ensureTable } from "@tablekeep/client";
import { type Engine, openEngine } from "@tablekeep/engine";
import { openFeed } from "@tablekeep/feed";
import { journalTableSpec, openJournal, snapshotTableSpec } from "@tablekeep/journal";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { servedRoutes } from "../../../../test/served-endpoints.ts";
import { describedOperations, servedOperations } from "../../../../test/served-operations.ts";
import { storeProjection } from "../../../../test/stored-projection.ts";
import { type RunningServer, startServer } from "../../start-server.ts";

let engine: Engine;
let server: RunningServer;

beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, journalTableSpec());
  await ensureTable(engine, snapshotTableSpec());
  const writer = await (await openJournal(engine)).recover("cart|1");
  await writer.appendEach([{ payload: 1 }, { payload: 2 }]);
  await (await openFeed(engine)).catchUp();
  server = await startServer({ port: engine, httpPort: 0, mail: false, shadows: false });
});
afterAll(async () => {
  await server.stop();
  await engine.close();
});

async function call(method: string, path = "", body?: unknown): Promise<{ status: number; body: object }> {
  const url = new URL(`/api/v3/journals/journal/projections${path}`, server.listeners[0]?.url);
  const answer = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: (await answer.json()) as object };
}

const state = async () => ((await call("GET", "/balances")).body as { state: string }).state;

test("a journal without a table of projections has none", async () => {
  expect(await call("GET")).toEqual({ status: 200, body: { projections: [] } });
});

describe("projections", () => {
  beforeEach(() =>
    storeProjection(engine, {
      name: "balances",
      versions: [1, 2],
      parked: [
        [3, "cart|7", "no such account"],
        [5, "cart|8", "limit exceeded"],
      ],
      stoppedBy: ["cart|9", "handler failed"],
    }),
  );

  test("are listed, with state, lag and parked events", async () => {
    expect(await call("GET")).toMatchObject({
      status: 200,
      body: {
        projections: [
          { name: "balances", version: 1, versions: [1, 2], state: "stopped", lagEvents: 2, parked: 2 },
        ],
      },
    });
    expect(await call("GET", "/balances?version=2")).toMatchObject({
      body: { version: 2, current: 1, slices: expect.any(Array), lastError: "handler failed" },
    });
    expect(await call("GET", "/balances/parked?limit=1")).toEqual({
      status: 200,
      body: { parked: [expect.objectContaining({ persistenceId: "cart|7", error: "no such account" })] },
    });
    expect(await call("GET", "/balances/parked?id=cart%7C8")).toMatchObject({
      body: { parked: [{ persistenceId: "cart|8" }] },
    });
  });

  test("are paused and resumed", async () => {
    expect(await call("POST", "/balances/pause")).toEqual({ status: 200, body: { state: "paused" } });
    expect(await state()).toBe("paused");
    expect(await call("POST", "/balances/resume", {})).toEqual({ status: 200, body: { state: "running" } });
    expect(await state()).toBe("running");
  });

  test("pass an event that stopped them, once", async () => {
    expect(await call("POST", "/balances/skip", { slice: 0 })).toMatchObject({
      status: 200,
      body: { skipped: { persistenceId: "cart|9" } },
    });
    expect(await call("POST", "/balances/skip", { slice: 0 })).toMatchObject({
      status: 409,
      body: { code: "PROJECTION_NOT_STOPPED" },
    });
  });

  test("try parked events again, or drop them", async () => {
    expect(await call("POST", "/balances/parked/retry", { persistenceId: "cart|7" })).toEqual({
      status: 200,
      body: { ids: 1 },
    });
    expect((await call("POST", "/balances/parked/drop", { event: { slice: 0, offset: 3 } })).body).toEqual({
      events: 1,
    });
    expect((await call("POST", "/balances/parked/drop", { all: true })).body).toEqual({ events: 1 });
    expect((await call("POST", "/balances/parked/drop", {})).status).toBe(400);
  });

  test("are rewound, switched and removed", async () => {
    expect((await call("POST", "/balances/rewind", { to: "end" })).status).toBe(200);
    expect((await call("GET", "/balances")).body).toMatchObject({ lagEvents: 0 });
    expect(await call("POST", "/balances/switch", { version: 2 })).toMatchObject({
      status: 409,
      body: { code: "PROJECTION_BEHIND" },
    });
    expect((await call("POST", "/balances/switch", { version: 2, force: true })).status).toBe(200);
    expect((await call("DELETE", "/balances?version=2")).status).toBe(409);
    expect((await call("DELETE", "/balances?version=1")).status).toBe(200);
    expect((await call("DELETE", "/balances")).status).toBe(200);
    expect((await call("GET")).body).toEqual({ projections: [] });
  });

  test.each([
    ["GET", "/other", undefined, 404],
    ["GET", "/balances?version=7", undefined, 404],
    ["GET", "/balances?version=x", undefined, 400],
    ["GET", "/balances/parked?limit=0", undefined, 400],
    ["POST", "/balances/skip", {}, 400],
    ["POST", "/balances/skip", { slice: -1 }, 400],
    ["POST", "/balances/pause", { other: 1 }, 400],
    ["POST", "/balances/pause", [], 400],
    ["POST", "/balances/rewind", { to: "nowhere" }, 400],
    ["POST", "/balances/parked/drop", { event: { slice: 1 } }, 400],
  ])("%s %s with %j is status %i", async (method, path, body, status) => {
    expect((await call(method, path, body)).status).toBe(status);
  });
});

test("the OpenAPI document has every operation", async () => {
  const all = await servedRoutes({ memory: true, smtp: false, mqtt: false });
  const routes = all.filter(({ path }) => path.includes("/projections"));
  expect(routes).toHaveLength(11);
  expect(describedOperations(routes)).toEqual(servedOperations(routes));
});
