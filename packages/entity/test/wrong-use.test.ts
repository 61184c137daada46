import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineEntity, type EntityErrorCode, isEntityError, openEntities } from "../src/index.ts";
import { type CounterCommand, counter } from "./counter.ts";
import { engineForEntities, eventsOf, openWorld, storesOn } from "./entity-world.ts";

const circular: Record<string, unknown> = {};
circular["self"] = circular;

const went = { type: "went" };

const fail = (): never => {
  throw new Error("planted");
};

const going = {
  type: "going",
  initial: () => 0,
  decide: (_command: { type: "go" }) => ({ events: { type: "went" as const } }),
  evolve: (state: number, _event: { type: "went" }) => state + 1,
};

describe("a failure is the answer to one command, and the entity continues", () => {
  const cases: [name: string, code: EntityErrorCode, command: unknown][] = [
    ["a command that decide does not know", "ENTITY_COMMAND_UNKNOWN", { type: "unknown" }],
    ["a command without a type", "ENTITY_COMMAND_INVALID", { amount: 1 }],
    ["a command that is null", "ENTITY_COMMAND_INVALID", null],
    ["a decide that throws", "ENTITY_DECIDE_FAILED", { type: "throw" }],
    ["an event with a function", "ENTITY_EVENT_INVALID", { type: "emit", payload: () => 1 }],
    ["an event with a cycle", "ENTITY_EVENT_INVALID", { type: "emit", payload: circular }],
    ["an event with undefined", "ENTITY_EVENT_INVALID", { type: "emit", payload: { a: undefined } }],
    ["an event that is too large", "ENTITY_EVENT_TOO_LARGE", { type: "emit", payload: "x".repeat(400_000) }],
    ["an event that has NaN", "ENTITY_EVENT_INVALID", { type: "emit", payload: Number.NaN }],
  ];

  test.each(cases)("%s: %s", async (_name, code, command) => {
    const { host, stores } = await openWorld([counter]);
    const counters = host.of(counter);
    // Given at once: they are neighbors in one group.
    const [before, wrong, after] = await Promise.allSettled([
      counters.ask("a", { type: "add", amount: 1 }),
      counters.ask("a", command as CounterCommand),
      counters.ask("a", { type: "add", amount: 2 }),
    ]);
    expect(before).toMatchObject({ status: "fulfilled", value: { total: 1 } });
    expect(after).toMatchObject({ status: "fulfilled", value: { total: 3 } });
    expect(wrong.status === "rejected" && isEntityError(wrong.reason, code)).toBe(true);
    expect(wrong).toMatchObject({ reason: { ambiguous: false, retryable: false } });
    expect(await counters.ask("a", { type: "get" })).toEqual({ total: 3, events: 2 });
    expect(await eventsOf(stores.journal, "counter|a")).toHaveLength(2);
  });

  test.each([
    ["not an object", () => 7],
    ["a promise", () => Promise.reject(new Error("never seen"))],
    ["an event without a type", () => ({ events: { amount: 1 } })],
    ["an event that is not an object", () => ({ events: ["added"] })],
    ["items without an event", () => ({ alsoWrite: [{ Put: { TableName: "x", Item: {} } }] })],
    ["items that are not an array", () => ({ events: went, alsoWrite: {} })],
    ["an item without an action", () => ({ events: went, alsoWrite: [{}] })],
    ["an item with two actions", () => ({ events: went, alsoWrite: [{ Put: {}, Delete: {} }] })],
    ["an item without a table", () => ({ events: went, alsoWrite: [{ Put: { Item: {} } }] })],
    ["metadata that is not an object", () => ({ events: went, metadata: "x" })],
    ["an event under another name", () => ({ event: went, reply: 1 })],
    ["metadata of a class", () => ({ events: went, metadata: new Map() })],
  ])("a decision that is %s", async (_name, decision) => {
    const broken = defineEntity({
      type: "broken",
      initial: () => 0,
      decide: (_command: { type: "go" }) => decision() as unknown as undefined,
      evolve: (state: number, _event: { type: "went" }) => state,
    });
    const { host } = await openWorld([broken]);
    await expect(host.of(broken).ask("a", { type: "go" })).rejects.toMatchObject({
      code: "ENTITY_DECISION_INVALID",
      kind: "internal",
    });
  });

  test("an evolve that throws", async () => {
    const broken = defineEntity({
      type: "broken",
      initial: () => 0,
      decide: (command: { type: "go"; by: number }) => ({
        events: { type: "went", by: command.by },
        reply: "ok",
      }),
      evolve: (state: number, event: { type: "went"; by: number }) => {
        if (event.by < 0) throw new Error("not back");
        return state + event.by;
      },
    });
    const { host, stores } = await openWorld([broken]);
    const [wrong, right] = await Promise.allSettled([
      host.of(broken).ask("a", { type: "go", by: -1 }),
      host.of(broken).ask("a", { type: "go", by: 1 }),
    ]);
    expect(wrong).toMatchObject({ reason: { code: "ENTITY_EVOLVE_FAILED", details: { event: "went" } } });
    expect(right).toMatchObject({ value: "ok" });
    expect(await eventsOf(stores.journal, "broken|a")).toHaveLength(1);
  });

  test("commands and events that their schemas reject", async () => {
    const strict = defineEntity({
      type: "strict",
      commands: z.object({ type: z.literal("set"), to: z.number(), by: z.string().default("default") }),
      events: z.object({ type: z.literal("set"), to: z.number().max(10), by: z.string() }),
      initial: () => 0,
      decide: ({ to, by }) => ({ events: { type: "set", to, by }, reply: by }),
      evolve: (_state, event) => event.to,
    });
    const { host } = await openWorld([strict]);
    const ask = (command: unknown) => host.of(strict).ask("a", command as never);
    expect(await ask({ type: "set", to: 1 })).toBe("default");
    await expect(ask({ type: "set", to: "1", by: "me" })).rejects.toMatchObject({
      code: "ENTITY_COMMAND_INVALID",
      details: { issues: [expect.stringMatching(/^to: /)] },
    });
    await expect(ask({ type: "set", to: 11, by: "me" })).rejects.toMatchObject({
      code: "ENTITY_DECISION_INVALID",
      kind: "internal",
    });
    expect(await host.of(strict).read("a")).toEqual({ state: 1, sequenceNr: 1 });
  });

  test("a schema that validates asynchronously", async () => {
    const later = defineEntity({
      type: "later",
      commands: z.object({ type: z.literal("go") }).refine(async () => true),
      initial: () => 0,
      decide: () => ({ reply: 1 }),
      evolve: (state: number, _event: { type: "went" }) => state,
    });
    const { host } = await openWorld([later]);
    await expect(host.of(later).ask("a", { type: "go" })).rejects.toMatchObject({
      code: "ENTITY_DEFINITION_FAILED",
      kind: "internal",
      details: { member: "commands" },
    });
  });

  test.each([
    ["initial", { initial: fail }],
    ["tags", { tags: fail }],
    ["persistenceId", { persistenceId: fail }],
    ["persistenceId", { persistenceId: () => "" }],
    ["persistenceId", { persistenceId: () => 7 as unknown as string }],
  ])("a definition whose %s fails", async (member, broken) => {
    const entity = defineEntity({ ...going, ...broken });
    const { host } = await openWorld([entity]);
    await expect(host.of(entity).ask("a", { type: "go" })).rejects.toMatchObject({
      code: "ENTITY_DEFINITION_FAILED",
      kind: "internal",
      retryable: false,
      ambiguous: false,
      details: { entity: "going", id: "a", member },
    });
  });

  test("a definition whose upcastState fails", async () => {
    const first = defineEntity(going);
    const { host, port } = await openWorld([first], { snapshotEvery: 1 });
    await host.of(first).ask("a", { type: "go" });
    await host.close();
    const second = defineEntity({ ...going, stateVersion: 2, upcastState: fail });
    const other = await openWorld([second], { port });
    for (const call of [other.host.of(second).ask("a", { type: "go" }), other.host.of(second).read("a")])
      await expect(call).rejects.toMatchObject({
        code: "ENTITY_DEFINITION_FAILED",
        details: { member: "upcastState" },
      });
  });
});

test("rejects a command with an id that is not plain data", async () => {
  const { host } = await openWorld([counter]);
  const ask = host.of(counter).ask("a", { type: "emit", payload: circular }, { commandId: "1" });
  await expect(ask).rejects.toMatchObject({ code: "ENTITY_COMMAND_INVALID" });
});

describe("invalid options are reported by name", () => {
  const refusedOption = async (work: () => unknown, option: string) => {
    const error = await (async () => work())().catch((thrown: unknown) => thrown);
    expect(isEntityError(error, "ENTITY_OPTION_INVALID") && error.details.option).toBe(option);
  };

  test("of definitions", async () => {
    const spec = {
      type: "x",
      initial: () => 0,
      decide: (_command: { type: "go" }) => undefined,
      evolve: (state: number, _event: { type: "went" }) => state,
    };
    await refusedOption(() => defineEntity({ ...spec, type: "" }), "type");
    await refusedOption(() => defineEntity({ ...spec, type: "a|b" }), "type");
    await refusedOption(() => defineEntity({ ...spec, stateVersion: 0 }), "stateVersion");
    await refusedOption(() => defineEntity({ ...spec, evolve: undefined as never }), "evolve");
    await refusedOption(() => defineEntity({ ...spec, commands: {} as never }), "commands");
    await refusedOption(() => defineEntity({ ...spec, snapshots: 1 } as never), "snapshots");
  });

  test("of hosts and asks", async () => {
    const stores = await storesOn(await engineForEntities());
    const { ledger: _ledger, ...withoutLedger } = stores;
    await refusedOption(() => openEntities({ ...stores, entities: [counter], maxGroup: 0 }), "maxGroup");
    for (const entities of [[counter, counter], [undefined], [{ type: "counter" }], counter])
      await refusedOption(() => openEntities({ ...stores, entities: entities as never }), "entities");
    await refusedOption(() => openEntities({ entities: [counter] } as never), "journal");
    await refusedOption(
      () => openEntities({ ...stores, entities: [counter], deleteCoveredEvents: true }),
      "deleteCoveredEvents",
    );
    const host = await openEntities({ ...withoutLedger, entities: [counter] });
    await refusedOption(() => host.of(counter).ask("", { type: "get" }), "id");
    await refusedOption(() => host.of(counter).ask("a", { type: "get" }, { commandId: "1" }), "commandId");
    await refusedOption(() => host.of(counter).ask("a", { type: "get" }, { deadlineMs: -1 }), "deadlineMs");
    await refusedOption(() => host.of(counter).read("a", { to: 1 } as never), "to");
    await refusedOption(() => host.of(counter).stateAt("a", {} as never), "moment");
    await refusedOption(() => host.of({ ...counter } as typeof counter), "entities");
    await refusedOption(() => host.of(undefined as never), "entities");
  });
});
