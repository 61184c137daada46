import * as v from "valibot";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { CommandOf, EventOf, ReplyOf, StateOf } from "../index.ts";
import { defineEntity, refuse, upcastFrom } from "../index.ts";

interface Cart {
  readonly lines: Readonly<Record<string, number>>;
  readonly paid: boolean;
}
type Command = { type: "add"; sku: string; quantity: number } | { type: "pay" } | { type: "total" };
type Event = { type: "added"; sku: string; quantity: number } | { type: "paid"; at: number };

const cart = defineEntity({
  type: "cart",
  initial: (): Cart => ({ lines: {}, paid: false }),
  decide(command: Command, state, { now }) {
    expectTypeOf(state).toEqualTypeOf<Cart>();
    if (state.paid) return refuse("paid");
    switch (command.type) {
      case "add":
        return {
          events: { type: "added", sku: command.sku, quantity: command.quantity },
          reply: { lines: 1 },
        };
      case "pay":
        return { events: [{ type: "paid", at: now }], reply: now };
      case "total":
        return { reply: "nothing" };
    }
  },
  evolve(state, event: Event) {
    expectTypeOf(state).toEqualTypeOf<Cart>();
    return event.type === "paid" ? { ...state, paid: true } : state;
  },
});

test("types come from the parameters of decide and evolve, and from initial", () => {
  expectTypeOf<CommandOf<typeof cart>>().toEqualTypeOf<Command>();
  expectTypeOf<EventOf<typeof cart>>().toEqualTypeOf<Event>();
  expectTypeOf<StateOf<typeof cart>>().toEqualTypeOf<Cart>();
  expectTypeOf<ReplyOf<typeof cart>>().toEqualTypeOf<{ readonly lines: 1 } | number | "nothing">();
});

test("types come from schemas of zod", () => {
  const counter = defineEntity({
    type: "counter",
    commands: z.object({ type: z.literal("add"), amount: z.number() }),
    events: z.object({ type: z.literal("added"), amount: z.number() }),
    initial: () => 0,
    decide(command, total) {
      expectTypeOf(command).toEqualTypeOf<{ type: "add"; amount: number }>();
      expectTypeOf(total).toEqualTypeOf<number>();
      return { events: { type: "added", amount: command.amount }, reply: total + command.amount };
    },
    evolve(total, event) {
      expectTypeOf(event).toEqualTypeOf<{ type: "added"; amount: number }>();
      return total + event.amount;
    },
  });
  expectTypeOf<ReplyOf<typeof counter>>().toEqualTypeOf<number>();
});

test("types come from schemas of valibot", () => {
  const counter = defineEntity({
    type: "counter",
    commands: v.variant("type", [
      v.object({ type: v.literal("add"), amount: v.number() }),
      v.object({ type: v.literal("reset") }),
    ]),
    events: v.object({ type: v.literal("set"), to: v.number() }),
    initial: () => 0,
    decide: (command, total) =>
      command.type === "reset"
        ? { events: { type: "set", to: 0 } }
        : { events: { type: "set", to: total + command.amount } },
    evolve: (_total, event) => event.to,
  });
  expectTypeOf<ReplyOf<typeof counter>>().toEqualTypeOf<undefined>();
  expectTypeOf<CommandOf<typeof counter>>().toEqualTypeOf<
    { type: "add"; amount: number } | { type: "reset" }
  >();
});

test("literals and arrays of a state keep the types of the state", () => {
  interface Order {
    status: "new" | "paid";
    lines: string[];
  }
  type OrderEvent = { type: "paid" } | { type: "line"; sku: string };
  const order = defineEntity({
    type: "order",
    initial: (): Order => ({ status: "new", lines: [] }),
    decide: (_command: { type: "pay" }, state) => ({
      events: state.lines.map((sku) => ({ type: "line", sku })),
      reply: state.status,
    }),
    evolve: (state: Order, event: OrderEvent) =>
      event.type === "paid"
        ? { ...state, status: "paid" }
        : { status: "new", lines: [...state.lines, event.sku] },
  });
  expectTypeOf<StateOf<typeof order>>().toEqualTypeOf<Order>();
  expectTypeOf<ReplyOf<typeof order>>().toEqualTypeOf<"new" | "paid">();
});

test("an unknown event does not compile", () => {
  defineEntity({
    type: "x",
    initial: () => 0,
    // @ts-expect-error there is no event "wrong"
    decide: (_command: { type: "go" }) => ({ events: [{ type: "wrong" }] }),
    evolve: (state: number, _event: { type: "right" }) => state,
  });
});

test("a chain of upcasters must end at a current event", () => {
  type V1 = { type: "named"; name: string };
  type V2 = { type: "named"; first: string; last: string };
  type V3 = { type: "named"; names: readonly string[] };
  const spec = {
    type: "person",
    initial: (): readonly string[] => [],
    decide: (_command: { type: "none" }) => undefined,
    evolve: (_state: readonly string[], event: V3) => event.names,
  };
  defineEntity({
    ...spec,
    upcasters: {
      named: upcastFrom((old: V1): V2 => ({ type: "named", first: old.name, last: "" })).to(
        (old): V3 => ({ type: "named", names: [old.first, old.last] }),
      ),
    },
  });
  defineEntity({
    ...spec,
    // @ts-expect-error the chain ends at version 2
    upcasters: { named: upcastFrom((old: V1): V2 => ({ type: "named", first: old.name, last: "" })) },
  });
});
