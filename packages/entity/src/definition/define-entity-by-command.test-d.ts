import type { TransactWriteItem } from "@tablekeep/core";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { CommandOf, Entities, EventOf, RefusalOf, ReplyOf, StateOf } from "../index.ts";
import { defineEntity, defineEntityByCommand, refusalOf, refuse } from "../index.ts";

interface Cart {
  readonly lines: Readonly<Record<string, number>>;
  readonly paid: boolean;
}
type Event = { type: "added"; sku: string; quantity: number } | { type: "paid"; at: number };

const cart = defineEntityByCommand({
  type: "cart",
  initial: (): Cart => ({ lines: {}, paid: false }),
  decide: {
    add: (command: { sku: string; quantity: number }, state) => {
      expectTypeOf(state).toEqualTypeOf<Cart>();
      if (state.paid) return refuse("paid", { lines: 3 });
      return { events: { type: "added", sku: command.sku, quantity: command.quantity }, reply: { lines: 1 } };
    },
    pay: (_command, state, { now }) =>
      state.paid ? refuse("twice") : { events: [{ type: "paid", at: now }], reply: now },
    total: (_command: { currency: string }, state) => ({ reply: Object.keys(state.lines).length }),
    close: () => ({ events: { type: "paid", at: 0 } }),
  },
  evolve: (state, event: Event) => (event.type === "paid" ? { ...state, paid: true } : state),
});

declare const carts: Entities<typeof cart>;

test("commands are what the functions accept, with their type", () => {
  expectTypeOf<CommandOf<typeof cart>>().toEqualTypeOf<
    | { sku: string; quantity: number; readonly type: "add" }
    | { readonly type: "pay" }
    | { currency: string; readonly type: "total" }
    | { readonly type: "close" }
  >();
  expectTypeOf<EventOf<typeof cart>>().toEqualTypeOf<Event>();
  expectTypeOf<StateOf<typeof cart>>().toEqualTypeOf<Cart>();
  expectTypeOf<ReplyOf<typeof cart>>().toEqualTypeOf<{ readonly lines: 1 } | number | undefined>();
});

test("a reply has the type of its command", () => {
  expectTypeOf(carts.ask("a", { type: "add", sku: "x", quantity: 1 })).resolves.toEqualTypeOf<{
    readonly lines: 1;
  }>();
  expectTypeOf(carts.ask("a", { type: "pay" })).resolves.toEqualTypeOf<number>();
  expectTypeOf(carts.ask("a", { type: "total", currency: "EUR" })).resolves.toEqualTypeOf<number>();
  expectTypeOf(carts.ask("a", { type: "close" })).resolves.toEqualTypeOf<undefined>();
  const either = { type: "pay" } as { type: "pay" } | { type: "close" };
  expectTypeOf(carts.ask("a", either)).resolves.toEqualTypeOf<number | undefined>();
});

test("other commands do not compile", () => {
  // @ts-expect-error there is no such command
  void carts.ask("a", { type: "open" });
  // @ts-expect-error the quantity is missing
  void carts.ask("a", { type: "add", sku: "x" });
  // @ts-expect-error a command of another type has the currency
  void carts.ask("a", { type: "pay", currency: "EUR" });
});

test("refusals have their reasons and facts", () => {
  type Refusals = RefusalOf<typeof cart>;
  expectTypeOf<Refusals["reason"]>().toEqualTypeOf<"paid" | "twice">();
  const refusal = refusalOf(cart, new Error("x"));
  expectTypeOf(refusal).toEqualTypeOf<Refusals | undefined>();
  const one = defineEntity({
    type: "one",
    initial: () => 0,
    decide: (_command: { type: "go" }, state) => (state > 3 ? refuse("enough") : { reply: state }),
    evolve: (state: number, _event: { type: "went" }) => state + 1,
  });
  expectTypeOf<RefusalOf<typeof one>["reason"]>().toEqualTypeOf<"enough">();
  expectTypeOf<ReplyOf<typeof one>>().toEqualTypeOf<number>();
});

test("an unknown event does not compile, and a schema must fit the functions", () => {
  const rest = { type: "x", initial: () => 0, evolve: (state: number, _event: { type: "right" }) => state };
  // @ts-expect-error there is no event "wrong"
  defineEntityByCommand({ ...rest, decide: { go: () => ({ events: [{ type: "wrong" }] }) } });
  const decide = { go: (_command: { far: number }) => ({ events: { type: "right" as const } }) };
  defineEntityByCommand({
    ...rest,
    commands: z.object({ type: z.literal("go"), far: z.number() }),
    decide,
  });
});

test("decisions may have items and metadata, which leave the reply as it is", () => {
  const named = defineEntityByCommand({
    type: "named",
    initial: () => "",
    decide: {
      name: (command: { name: string; items: readonly TransactWriteItem[] }) => ({
        events: { type: "named", name: command.name },
        reply: 1,
        alsoWrite: [
          { Put: { TableName: "names", Item: { name: { S: command.name }, list: { L: [{ S: "x" }] } } } },
          { Delete: { TableName: "names", Key: { name: { S: "old" } } } },
          ...command.items,
        ],
        metadata: { by: { user: command.name } },
      }),
    },
    evolve: (_state: string, event: { type: "named"; name: string }) => event.name,
  });
  expectTypeOf<ReplyOf<typeof named>>().toEqualTypeOf<1>();
  defineEntityByCommand({
    type: "named",
    initial: () => "",
    // @ts-expect-error an item has one of the actions of a transaction
    decide: {
      name: () => ({ events: { type: "named", name: "x" }, alsoWrite: [{ Insert: {} }] }),
    },
    evolve: (_state: string, event: { type: "named"; name: string }) => event.name,
  });
});
