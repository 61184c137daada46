import { openEngine } from "@tablekeep/engine";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { countedWithCapacity } from "../backend/counted-port.ts";
import { readiness, type ServerState } from "./readiness.ts";

test("a server is ready only between its start and its stop", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  let state: ServerState = "starting";
  const backend = {
    ...countedWithCapacity(engine),
    tables: [],
    addTable: async () => {},
    close: async () => {},
  };
  const { whyNot } = readiness(backend, { clock: fakeClock(), state: () => state });
  expect(await whyNot()).toEqual({ why: "the server is starting" });
  state = "running";
  expect(await whyNot()).toBeUndefined();
  state = "stopping";
  expect(await whyNot()).toEqual({ why: "the server is stopping" });
});

test("two checks within a second read the tables once", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  const clock = fakeClock();
  const tables = [{ name: "absent", partitionKey: { name: "id", type: "S" } }] as const;
  const { port, use } = countedWithCapacity(engine);
  const { whyNot } = readiness(
    { port, use, tables, addTable: async () => {}, close: async () => {} },
    { clock, state: () => "running" },
  );
  const why = { why: "1 of 1 tables cannot be reached: DYNAMO_RESOURCE_NOT_FOUND" };
  expect(await Promise.all([whyNot(), whyNot()])).toEqual([why, why]);
  expect(use()["absent"]).toMatchObject({ requests: 1, failures: 1 });
  await clock.advance(1001);
  await whyNot();
  expect(use()["absent"]?.requests).toBe(2);
});
