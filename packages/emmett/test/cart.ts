import type { Command, Event, ReadEvent } from "@event-driven-io/emmett";
import type { TablekeepReadEventMetadata } from "../src/index.ts";

export interface Line {
  readonly [name: string]: unknown;
  readonly item: string;
  readonly count: number;
  readonly cents: number;
}

export type LineAdded = Event<"LineAdded", { line: Line }>;
export type Discounted = Event<"Discounted", { percent: number }>;
export type CartEvent = LineAdded | Discounted;

export type AddLine = Command<"AddLine", { line: Line }>;
export type Discount = Command<"Discount", { percent: number }>;
export type CartCommand = AddLine | Discount;

export interface Cart {
  readonly lines: readonly Line[];
  readonly cents: number;
}

export const apples: Line = { item: "apple", count: 3, cents: 20 };
export const added = (line: Line = apples): LineAdded => ({ type: "LineAdded", data: { line } });
export const discounted = (percent: number): Discounted => ({ type: "Discounted", data: { percent } });

export const initialState = (): Cart => ({ lines: [], cents: 0 });

export function evolve(cart: Cart, { type, data }: CartEvent): Cart {
  if (type === "Discounted") return { ...cart, cents: (cart.cents * (100 - data.percent)) / 100 };
  const { line } = data;
  return { lines: [...cart.lines, line], cents: cart.cents + line.count * line.cents };
}

/** As `evolve`, but an event without its position is an error. */
export function evolveRecorded(cart: Cart, event: ReadEvent<CartEvent, TablekeepReadEventMetadata>): Cart {
  if (typeof event.metadata.streamPosition !== "bigint") throw new Error("an event without a position");
  return evolve(cart, event);
}

export const decider = {
  initialState,
  evolve,
  decide: (command: CartCommand, cart: Cart): CartEvent | CartEvent[] => {
    if (command.type === "AddLine") return added(command.data.line);
    if (cart.lines.length === 0) throw new Error("an empty cart has no discount");
    return discounted(command.data.percent);
  },
};
