import { expect, test } from "vitest";
import { defineEntityByCommand, refusalOf, refuse } from "../src/index.ts";
import { scenarioOf } from "../src/testing/index.ts";
import { counter } from "./counter.ts";
import { openWorld } from "./entity-world.ts";

const tank = defineEntityByCommand({
  type: "tank",
  initial: () => 0,
  decide: {
    fill: (command: { liters: number }, level) =>
      level + command.liters > 10
        ? refuse("too-much", { room: 10 - level })
        : { events: { type: "filled", liters: command.liters }, reply: level + command.liters },
    level: (_command, level) => ({ reply: { level } }),
  },
  evolve: (level: number, event: { type: "filled"; liters: number }) => level + event.liters,
});

test("each command is decided by the function of its type", async () => {
  const { host } = await openWorld([tank]);
  const tanks = host.of(tank);
  expect((await tanks.ask("a", { type: "fill", liters: 4 })).toFixed(1)).toBe("4.0");
  expect((await tanks.ask("a", { type: "level" })).level).toBe(4);
  for (const type of ["empty", "constructor", "toString", "__proto__"])
    await expect(tanks.ask("a", { type } as never)).rejects.toMatchObject({
      code: "ENTITY_COMMAND_UNKNOWN",
      kind: "invalid",
      details: { command: type },
    });
  await host.close();
});

test("a refusal has its reason and facts; other errors are not refusals", async () => {
  const { host } = await openWorld([tank, counter]);
  const error: unknown = await host
    .of(tank)
    .ask("a", { type: "fill", liters: 11 })
    .catch((thrown: unknown) => thrown);
  const refusal = refusalOf(tank, error);
  expect(refusal).toEqual({ reason: "too-much", facts: { room: 10 } });
  expect(refusal?.facts?.room).toBe(10);
  expect(refusalOf(counter, error)).toBeUndefined();
  expect(refusalOf(tank, new Error("other"))).toBeUndefined();
  await host.close();
});

test("a scenario tests it as any definition", () => {
  const given = scenarioOf(tank);
  given([{ type: "filled", liters: 8 }])
    .when({ type: "fill", liters: 1 })
    .then([{ type: "filled", liters: 1 }]);
  given([{ type: "filled", liters: 8 }])
    .when({ type: "fill", liters: 3 })
    .then({ refused: "too-much" });
});

test.each([[undefined], [null], [() => ({})], [{ go: 1 }]])("decide: %s is rejected", (decide) => {
  const spec = { type: "x", initial: () => 0, evolve: (state: number) => state, decide };
  expect(() => defineEntityByCommand(spec as never)).toThrow(
    expect.objectContaining({
      code: "ENTITY_OPTION_INVALID",
      details: expect.objectContaining({ option: "decide" }),
    }),
  );
});
