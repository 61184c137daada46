import type { Journal } from "@tablekeep/journal";
import { expectTypeOf, test } from "vitest";
import { defineEntity, type Entities, type EntityHost, openEntities } from "../index.ts";

const counter = defineEntity({
  type: "counter",
  initial: () => 0,
  decide: (command: { type: "add"; amount: number } | { type: "get" }, total) =>
    command.type === "get"
      ? { reply: { total } }
      : { events: { type: "added", amount: command.amount }, reply: "ok" },
  evolve: (total: number, event: { type: "added"; amount: number }) => total + event.amount,
});
const door = defineEntity({
  type: "door",
  initial: (): "open" | "shut" => "shut",
  decide: (_command: { type: "open" }) => ({ events: { type: "opened" } }),
  evolve: (_state: "open" | "shut", _event: { type: "opened" }) => "open",
});
const stranger = defineEntity({
  type: "stranger",
  initial: () => 0,
  decide: (_command: { type: "x" }) => ({ reply: 1 }),
  evolve: (state: number, _event: { type: "y" }) => state,
});

declare const journal: Journal;
declare const host: EntityHost<typeof counter | typeof door>;

test("a host is typed by its definitions, and their commands, replies and states", () => {
  expectTypeOf(openEntities({ journal, entities: [counter, door] })).resolves.toEqualTypeOf<typeof host>();
  const counters = host.of(counter);
  expectTypeOf(counters).toEqualTypeOf<Entities<typeof counter>>();
  expectTypeOf(counters.ask("a", { type: "get" })).resolves.toEqualTypeOf<
    "ok" | { readonly total: number }
  >();
  expectTypeOf(counters.read("a")).resolves.toEqualTypeOf<{
    readonly state: number;
    readonly sequenceNr: number;
  }>();
  expectTypeOf(host.of(door).ask("a", { type: "open" })).resolves.toEqualTypeOf<undefined>();
  expectTypeOf(host.of(door).stateAt("a", { timestamp: 1 }))
    .resolves.toHaveProperty("state")
    .toEqualTypeOf<"open" | "shut">();
});

test("commands and definitions that are not its own do not compile", () => {
  // @ts-expect-error there is no such command
  void host.of(counter).ask("a", { type: "open" });
  // @ts-expect-error the amount is missing
  void host.of(counter).ask("a", { type: "add" });
  // @ts-expect-error this host does not serve it
  void host.of(stranger);
  // @ts-expect-error a number and a time are two moments
  void host.of(door).stateAt("a", { timestamp: 1, sequenceNr: 2 });
});
