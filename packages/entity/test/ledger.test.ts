import type { DynamoPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { defineEntity, refuse } from "../src/index.ts";
import { counter } from "./counter.ts";
import { engineForEntities, eventsOf, openWorld, tables } from "./entity-world.ts";

const add = { type: "add", amount: 1 } as const;

/** Can be opened once; reading it writes nothing. */
const door = defineEntity({
  type: "door",
  initial: () => ({ open: false, opened: 0 }),
  decide(command: { type: "open" } | { type: "close" } | { type: "read" }, state) {
    if (command.type === "read") return { reply: state.open };
    if (command.type === "close") return { events: { type: "closed" }, reply: state.opened };
    return state.open ? refuse("open-already") : { events: { type: "opened" }, reply: state.opened + 1 };
  },
  evolve: (state: { open: boolean; opened: number }, event: { type: "opened" } | { type: "closed" }) =>
    event.type === "opened" ? { open: true, opened: state.opened + 1 } : { ...state, open: false },
});

describe("a command with an id", () => {
  test("does not write a command of the same group whose caller left during the ledger read", async () => {
    const engine = await engineForEntities();
    const caller = new AbortController();
    const port: DynamoPort = {
      ...engine,
      getItem(input, options) {
        if (input.TableName === tables.commands) caller.abort();
        return engine.getItem(input, options);
      },
    };
    const { host, stores } = await openWorld([counter], { port });
    const first = host.of(counter).ask("a", add, { signal: caller.signal });
    // Its decision is a refusal, so that the ledger is asked whether it was carried out before.
    const second = host.of(counter).ask("a", { type: "add", amount: -1 }, { commandId: "1" });
    const third = host.of(counter).ask("a", add);
    await expect(first).rejects.toMatchObject({ code: "ENTITY_ABORTED", ambiguous: false });
    await expect(second).rejects.toMatchObject({ code: "ENTITY_COMMAND_REFUSED" });
    expect(await third).toMatchObject({ total: 1, sequenceNr: 1 });
    expect(await eventsOf(stores.journal, "counter|a")).toHaveLength(1);
  });

  test("gets its first reply when repeated, on any host, and writes nothing more", async () => {
    const { host, stores, port } = await openWorld([counter]);
    const first = await host.of(counter).ask("a", add, { commandId: "1" });
    await host.of(counter).ask("a", add, { commandId: "2" });
    expect(await host.of(counter).ask("a", add, { commandId: "1" })).toEqual(first);
    const other = await openWorld([counter], { port });
    expect(await other.host.of(counter).ask("a", { amount: 1, type: "add" }, { commandId: "1" })).toEqual(
      first,
    );
    expect(await eventsOf(stores.journal, "counter|a")).toHaveLength(2);
  });

  test.each([
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Set([1]), new Set([2])],
    [{ deep: [new Map([[1, new Set(["x"])]])] }, { deep: [new Map([[1, new Set(["y"])]])] }],
    [Number.NaN, Number.POSITIVE_INFINITY],
    [Number.NaN, null],
  ])("is distinguished from another with the same id: %j %#", async (first, second) => {
    const { host } = await openWorld([counter]);
    const ask = (detail: unknown) =>
      host.of(counter).ask("a", { type: "add", amount: 1, detail } as typeof add, { commandId: "1" });
    const reply = await ask(first);
    await expect(ask(second)).rejects.toMatchObject({ code: "ENTITY_COMMAND_ID_REUSED" });
    expect(await ask(first)).toEqual(reply);
  });

  test("is carried out once although its events are independent", async () => {
    const { host, stores } = await openWorld([counter]);
    const ask = () =>
      host.of(counter).ask("a", { type: "addAll", amounts: [1, 2], atomic: false }, { commandId: "1" });
    expect(await ask()).toEqual({ total: 3 });
    expect(await ask()).toEqual({ total: 3 });
    expect(await eventsOf(stores.journal, "counter|a")).toHaveLength(2);
  });

  test("is carried out once when sent several times at once", async () => {
    const { host, stores, port } = await openWorld([counter]);
    const other = await openWorld([counter], { port });
    const replies = await Promise.all(
      [host, other.host, host, other.host, host].map((each) =>
        each.of(counter).ask("a", add, { commandId: "1" }),
      ),
    );
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(await eventsOf(stores.journal, "counter|a")).toHaveLength(1);
  });

  test("gets its first reply although the state would refuse it now", async () => {
    const { host } = await openWorld([door]);
    expect(await host.of(door).ask("a", { type: "open" }, { commandId: "1" })).toBe(1);
    expect(await host.of(door).ask("a", { type: "open" }, { commandId: "1" })).toBe(1);
    await expect(host.of(door).ask("a", { type: "open" }, { commandId: "2" })).rejects.toMatchObject({
      code: "ENTITY_COMMAND_REFUSED",
    });
  });

  test("gets its first reply although it wrote nothing and the state has changed", async () => {
    const { host } = await openWorld([door]);
    expect(await host.of(door).ask("a", { type: "read" }, { commandId: "read" })).toBe(false);
    await host.of(door).ask("a", { type: "open" });
    expect(await host.of(door).ask("a", { type: "read" }, { commandId: "read" })).toBe(false);
    expect(await host.of(door).ask("a", { type: "read" })).toBe(true);
    // In one group with commands that write.
    const [opened, read, again] = await Promise.all([
      host.of(door).ask("a", { type: "close" }),
      host.of(door).ask("a", { type: "read" }, { commandId: "second" }),
      host.of(door).ask("a", { type: "read" }, { commandId: "second" }),
    ]);
    expect([opened, read, again]).toEqual([1, false, false]);
  });

  test("belongs to its entity: the same id on another entity is another command", async () => {
    const { host } = await openWorld([counter]);
    await host.of(counter).ask("a", add, { commandId: "1" });
    expect(await host.of(counter).ask("b", add, { commandId: "1" })).toMatchObject({ total: 1 });
  });

  test("cannot be reused for another command", async () => {
    const { host } = await openWorld([counter]);
    await host.of(counter).ask("a", add, { commandId: "1" });
    await expect(
      host.of(counter).ask("a", { type: "add", amount: 2 }, { commandId: "1" }),
    ).rejects.toMatchObject({
      code: "ENTITY_COMMAND_ID_REUSED",
      details: { commandId: "1" },
    });
  });

  test("expires, even while its item is still in the table", async () => {
    const clock = fakeClock();
    const port = await engineForEntities();
    const ledger = { port, table: tables.commands, keepMs: 60_000 };
    const { host } = await openWorld([counter], { port, clock, ledger, journalOptions: { clock } });
    await host.of(counter).ask("a", add, { commandId: "1" });
    await clock.advance(59_000);
    expect(await host.of(counter).ask("a", add, { commandId: "1" })).toMatchObject({ total: 1 });
    await clock.advance(3_000);
    expect(await host.of(counter).ask("a", add, { commandId: "1" })).toMatchObject({ total: 2 });
  });

  test("must have a reply that can be stored", async () => {
    const odd = defineEntity({
      type: "odd",
      initial: () => 0,
      decide: (command: { type: "function" } | { type: "large" }) => ({
        events: { type: "happened" },
        reply: command.type === "large" ? "x".repeat(500_000) : () => 1,
      }),
      evolve: (state: number, _event: { type: "happened" }) => state + 1,
    });
    const { host } = await openWorld([odd]);
    for (const type of ["function", "large"] as const) {
      await expect(host.of(odd).ask("a", { type }, { commandId: type })).rejects.toMatchObject({
        code: "ENTITY_REPLY_INVALID",
      });
    }
    expect(await host.of(odd).ask("a", { type: "function" })).toBeTypeOf("function");
    expect(await host.of(odd).read("a")).toEqual({ state: 1, sequenceNr: 1 });
  });
});
