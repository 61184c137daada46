/** The domain: a shopping cart. Independent of HTTP, tables and the clock. */
import { type CommandOf, defineEntity, refuse } from "@tablekeep/entity";
import { z } from "zod";

const sku = z.string().min(1).max(100);
const quantity = z.int().min(1).max(1000);
const cents = z.int().min(0).max(100_000_000);

const commands = z.discriminatedUnion("type", [
  z.object({ type: z.literal("add"), sku, quantity, cents }),
  z.object({ type: z.literal("remove"), sku }),
  z.object({ type: z.literal("check-out") }),
  z.object({ type: z.literal("show") }),
]);

const events = z.discriminatedUnion("type", [
  z.object({ type: z.literal("added"), sku, quantity, cents }),
  z.object({ type: z.literal("removed"), sku }),
  z.object({ type: z.literal("checked-out"), orderId: z.string(), at: z.number(), total: z.int() }),
]);

/** A line of a cart. `cents` is the price of one piece. */
export interface Line {
  readonly sku: string;
  readonly quantity: number;
  readonly cents: number;
}

/** The lines of a cart and, once it is checked out, its order. */
export interface Cart {
  readonly lines: readonly Line[];
  readonly order?: { readonly orderId: string; readonly total: number };
}

/** Returns the price of all lines, in cents. */
export function totalOf({ lines }: Cart): number {
  return lines.reduce((total, line) => total + line.quantity * line.cents, 0);
}

/** Maximum number of different articles in a cart. */
const maxLines = 100;

function withLine({ lines }: Cart, added: Line): readonly Line[] {
  const known = lines.find((line) => line.sku === added.sku);
  if (known === undefined) return [...lines, added];
  const quantityNow = known.quantity + added.quantity;
  return lines.map((line) => (line === known ? { ...added, quantity: quantityNow } : line));
}

/** Returns a cart with its total, as callers see it. */
export const viewOf = (cart: Cart) => ({ ...cart, total: totalOf(cart) });

/** The shopping cart. */
export const cart = defineEntity({
  type: "cart",
  commands,
  events,
  initial: (): Cart => ({ lines: [] }),
  decide(command, state, { now, newId }) {
    if (command.type === "show") return { reply: viewOf(state) };
    if (state.order !== undefined) return refuse("checked-out", state.order);
    switch (command.type) {
      case "add": {
        const { type: _type, ...line } = command;
        const lines = withLine(state, line);
        if (lines.length > maxLines) return refuse("full", { maxLines });
        return { events: { type: "added", ...line }, reply: viewOf({ lines }) };
      }
      case "remove": {
        const lines = state.lines.filter((line) => line.sku !== command.sku);
        if (lines.length === state.lines.length) return { reply: viewOf(state) };
        return { events: { type: "removed", sku: command.sku }, reply: viewOf({ lines }) };
      }
      case "check-out": {
        if (state.lines.length === 0) return refuse("empty");
        const order = { orderId: newId(), total: totalOf(state) };
        return { events: { type: "checked-out", ...order, at: now }, reply: viewOf({ ...state, order }) };
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case "added": {
        const { type: _type, ...line } = event;
        return { ...state, lines: withLine(state, line) };
      }
      case "removed":
        return { ...state, lines: state.lines.filter((line) => line.sku !== event.sku) };
      case "checked-out":
        return { ...state, order: { orderId: event.orderId, total: event.total } };
    }
  },
});

export type CartCommand = CommandOf<typeof cart>;
