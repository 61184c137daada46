import type { Logger } from "@tablekeep/core";
import { expect, test } from "vitest";
import { defineEntity } from "../src/index.ts";
import { openWorld } from "./entity-world.ts";

type Grow = { readonly type: "grow" };
type Grown = { readonly type: "grown" };

/** Counts its events in a state of any shape. */
function entityWith(
  state: (events: number) => unknown,
  version: { stateVersion?: number; upcast?: boolean } = {},
) {
  let events = 0;
  return defineEntity({
    type: "shape",
    ...(version.stateVersion !== undefined && { stateVersion: version.stateVersion }),
    ...(version.upcast && { upcastState: (old: unknown) => old }),
    initial: (): unknown => state(0),
    decide: (_command: Grow) => ({ events: { type: "grown" as const }, reply: "ok" }),
    evolve: (_state: unknown, _event: Grown) => state(++events),
  });
}

function recorder() {
  const lines: { level: string; message: string; fields: unknown }[] = [];
  const at = (level: string) => (message: string, fields?: unknown) => lines.push({ level, message, fields });
  const logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") } as Logger;
  return { lines, logger };
}

test.each([
  ["undefined", () => undefined],
  ["a Set", (events: number) => new Set([events])],
  ["a Date", (events: number) => ({ at: new Date(events) })],
  ["a class with private state", () => ({ inner: new (class Hidden {})() })],
])("a state of %s that cannot be stored is reported once, as an error", async (_what, state) => {
  const { lines, logger } = recorder();
  const shape = entityWith(state);
  const { host, stores } = await openWorld([shape], { snapshotEvery: 1, logger });
  for (const id of ["a", "a", "b"]) {
    await host.of(shape).ask(id, { type: "grow" });
    await host.idle();
  }
  expect(await stores.snapshots.load("shape|a")).toBeUndefined();
  expect(lines).toEqual([
    {
      level: "error",
      message: expect.stringContaining("shape a: "),
      fields: {
        persistenceId: "shape|a",
        sequenceNr: 1,
        error: expect.objectContaining({ code: "ENTITY_STATE_INVALID", kind: "internal" }),
      },
    },
  ]);
});

test("a state that can be stored is saved and not reported", async () => {
  const { lines, logger } = recorder();
  const shape = entityWith((events) => ({ events }));
  const { host, stores } = await openWorld([shape], { snapshotEvery: 1, logger });
  await host.of(shape).ask("a", { type: "grow" });
  await host.idle();
  expect((await stores.snapshots.load("shape|a"))?.state).toEqual({ events: 1 });
  expect(lines).toEqual([]);
});

test("rejects deleteCoveredEvents with a raised stateVersion and no upcastState", async () => {
  const keep = { keepSnapshots: 1, deleteCoveredEvents: true };
  const raised = entityWith(() => 0, { stateVersion: 2 });
  await expect(openWorld([raised], keep)).rejects.toMatchObject({
    code: "ENTITY_OPTION_INVALID",
    details: { option: "deleteCoveredEvents", reason: expect.stringContaining("upcastState") },
  });
  const readable = [entityWith(() => 0), entityWith(() => 0, { stateVersion: 2, upcast: true })] as const;
  for (const entity of readable) await (await openWorld([entity], keep)).host.close();
  await (await openWorld([raised], { keepSnapshots: 1 })).host.close();
});
