import { describe, expect, test } from "vitest";
import { counter } from "../../test/counter.ts";
import { defineEntity } from "../index.ts";
import { checkEntity, scenarioOf } from "./index.ts";

const added = (amount: number, eventId = "x") => ({ type: "added", amount, eventId }) as const;

describe("given, when, then", () => {
  const given = scenarioOf(counter);

  test("compares events, and shows reply and state", () => {
    const end = given([added(1), added(2)])
      .when({ type: "add", amount: 3 })
      .then(added(3, "id-1"));
    expect(end.reply).toEqual({ total: 6, eventId: "id-1", sequenceNr: 3 });
    expect(end.state).toEqual({ total: 6, events: 3 });
    given([]).when({ type: "get" }).then([]);
    expect(() => given([]).when({ type: "add", amount: 3 }).then([])).toThrow(
      "Expected values to be strictly",
    );
    expect(() => given([]).when({ type: "add", amount: 3 }).then(added(4, "id-1"))).toThrow("4");
  });

  test("shows the items and the metadata of a decision", () => {
    const named = defineEntity({
      type: "named",
      initial: () => "",
      decide: (command: { type: "name"; name: string }) => ({
        events: { type: "named", name: command.name },
        alsoWrite: [{ Put: { TableName: "names", Item: { name: { S: command.name } } } }],
        metadata: { length: command.name.length },
      }),
      evolve: (_state: string, event: { type: "named"; name: string }) => event.name,
    });
    const end = scenarioOf(named)([]).when({ type: "name", name: "ann" });
    expect(end.alsoWrite).toEqual([{ Put: { TableName: "names", Item: { name: { S: "ann" } } } }]);
    expect(end.metadata).toEqual({ length: 3 });
  });

  test("compares errors and refusals", () => {
    given([]).when({ type: "add", amount: -1 }).then({ refused: "negative" });
    given([]).when({ type: "throw" }).then({ error: "ENTITY_DECIDE_FAILED" });
    expect(() => given([]).when({ type: "throw" }).then([])).toThrow("decide threw");
    expect(() => given([]).when({ type: "get" }).then({ refused: "negative" })).toThrow();
    expect(() => given([]).when({ type: "add", amount: -1 }).then({ refused: "other" })).toThrow("negative");
  });

  test("rejects events that cannot be stored, and cannot be awaited", async () => {
    expect(() => given([]).when({ type: "emit", payload: () => 1 })).toThrow("payload");
    const end: unknown = given([]).when({ type: "get" });
    await expect(Promise.resolve(end)).rejects.toThrow("not a promise");
  });
});

describe("checkEntity", () => {
  const spec = {
    type: "stock",
    initial: () => ({ count: 0 }),
    decide: (command: { type: "move"; by: number }, state: { count: number }) =>
      state.count + command.by < 0
        ? { refused: "negative" }
        : { events: { type: "moved" as const, by: command.by }, reply: state.count + command.by },
    evolve: (state: { count: number }, event: { type: "moved"; by: number }) => ({
      count: state.count + event.by,
    }),
  };
  const command = (random: () => number) => ({ type: "move" as const, by: Math.floor(random() * 11) - 5 });
  const invariant = ({ count }: { count: number }) => count >= 0;

  test("passes a correct entity, with commands that are accepted", () => {
    let highest = 0;
    checkEntity(defineEntity(spec), {
      command,
      invariant: ({ count }) => {
        highest = Math.max(highest, count);
        return count >= 0;
      },
    });
    expect(highest).toBeGreaterThan(10);
  });

  test("reports a broken invariant with a minimal list of commands", () => {
    const broken = defineEntity({
      ...spec,
      decide: (each: { type: "move"; by: number }) => ({ events: { type: "moved", by: each.by } }),
    });
    expect(() => checkEntity(broken, { command, invariant })).toThrow(
      /^stock, seed \d+: invariant: false, after\n {2}\{"type":"move","by":-\d\}$/,
    );
  });

  test("finds an evolve that changes the state in place", () => {
    const evolve = (state: { count: number }, event: { by: number; type: "moved" }) => {
      state.count += event.by;
      return state;
    };
    expect(() => checkEntity(defineEntity({ ...spec, evolve }), { command })).toThrow("evolve threw");
  });

  test("finds a decide that is not pure", () => {
    let calls = 0;
    const decide = (_each: { type: "move"; by: number }) => ({
      events: { type: "moved" as const, by: calls++ },
    });
    expect(() => checkEntity(defineEntity({ ...spec, decide }), { command })).toThrow("must be pure");
  });

  test("finds a state that a snapshot does not preserve", () => {
    const lossy = defineEntity({
      ...spec,
      initial: () => ({ count: 0, seen: new Set<number>() }),
      decide: (each: { type: "move"; by: number }) => ({ events: { type: "moved", by: each.by } }),
      evolve: (state: { count: number; seen: Set<number> }, event: { type: "moved"; by: number }) => ({
        count: state.count + event.by,
        seen: new Set([...state.seen, event.by]),
      }),
    });
    expect(() => checkEntity(lossy, { command })).toThrow("seen");
  });

  test("finds an evolve that depends on more than the events", () => {
    let ticks = 0;
    const evolve = (state: { count: number }, _event: { type: "moved"; by: number }) => ({
      count: state.count + (ticks++ % 7),
    });
    expect(() => checkEntity(defineEntity({ ...spec, evolve }), { command })).toThrow(
      "recovered from no snapshot",
    );
  });
});
